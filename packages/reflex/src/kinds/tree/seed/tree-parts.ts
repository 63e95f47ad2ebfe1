import { systemHost } from '../../../kernel/index.ts'
import { TypedBlackboard } from '../board/typed-blackboard.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { type LaidNode, Layout } from '../compile/layout.ts'
import { StandIns } from '../compile/substitutes.ts'
import type { RawTree } from '../formats/raw.ts'
import type { BehaviorNode } from './behavior-node.ts'
import { BoardLink } from './board-link.ts'
import type { TreeClock } from './memory-run.ts'
import { NodeSeats, type SeatedTree } from './node-seats.ts'
import { TreeEngine } from './tree-engine.ts'
import { TreeEvents } from './tree-events.ts'
import type { TreeForm } from './tree-form.ts'
import { compileForm, compileSource, type TreeHost } from './tree-host.ts'
import { TreeNodes } from './tree-nodes.ts'
import { Visits } from './visits.ts'

/** The parts of a tree in memory. */
export interface TreeParts {
  readonly def: CompiledTree
  readonly name: string
  readonly clock: TreeClock
  readonly blackboard: TypedBlackboard
  readonly engine: TreeEngine
  readonly layout: Layout
  readonly nodes: TreeNodes
  readonly seats: NodeSeats
  readonly visits: Visits
  readonly events: TreeEvents
}

/** Makes the parts of a tree. `tree`: what its nodes ask of it. Throws as the constructor of `BehaviorTree` does. */
export function treeParts(
  form: TreeForm | RawTree,
  host: TreeHost,
  tree: Pick<SeatedTree, 'context' | 'tick' | 'reset' | 'halt'>,
): TreeParts {
  const { clock = systemHost, globals } = host
  const visits = new Visits(clock)
  const compiled = compileForm(form, host, (tick, node, run) => seats.withContext(tick, node, run), visits)
  const { def, functions } = compiled
  const { id, source } = def
  const find = (name: string): CompiledTree | undefined => {
    if (name === id) return def
    const own = source.trees?.[name]
    return own === undefined ? host.find?.(name) : compileSource(own, host)
  }
  const blackboard = host.blackboard ?? globals?.createChildScope(id) ?? new TypedBlackboard(undefined, id)
  const link = new BoardLink(blackboard, compiled.schemas, compiled.defaults)
  const events = new TreeEvents(id, host.events)
  const engine = new TreeEngine({ def, find, functions, host, clock, link, events })
  const seats = new NodeSeats({ id, state: () => engine.state, ...tree }, visits)
  const layout = new Layout(def, find, { standIns: host.substitute === undefined ? undefined : new StandIns(host.substitute) })
  const own = (laid: LaidNode): BehaviorNode | undefined => (laid.tree === def ? compiled.nodes.get(laid.id) : undefined)
  const nodes = new TreeNodes(layout, own, (laid) => seats.seatOf(laid))
  const name = 'name' in form && typeof form.name === 'string' ? form.name : id
  return { def, name, clock, blackboard, engine, layout, nodes, seats, visits, events }
}
