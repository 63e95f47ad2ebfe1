import type { RunStatus } from '../../../../src/kinds/tree/model/run-status.ts'
import { BehaviorNode, type NodeOptions } from '../../../../src/kinds/tree/seed/behavior-node.ts'
import { BehaviorTree } from '../../../../src/kinds/tree/seed/behavior-tree.ts'
import type { TreeHost } from '../../../../src/kinds/tree/seed/tree-host.ts'
import { EventBus } from '../../../../src/kinds/tree/seed/event-bus.ts'
import type { BusEvent } from '../../../../src/kinds/tree/seed/tree-event.ts'
import type { TickContext } from '../../../../src/kinds/tree/seed/tick-context.ts'
import type { TreeForm } from '../../../../src/kinds/tree/seed/tree-form.ts'
import { virtualHost, type VirtualHost } from '../../../../src/testing/index.ts'
import type { TreeFunction } from '../../../../src/kinds/tree/tick/function-port.ts'

export type Letter = 'S' | 'F' | 'R'
const STATUS = { S: 'SUCCESS', F: 'FAILURE', R: 'RUNNING' } as const

/** A node of a host that answers what its script lists, then its last letter for ever. */
export class Scripted extends BehaviorNode {
  readonly seen: TickContext[] = []
  resets = 0
  readonly #answers: string
  readonly #act: (ctx: TickContext) => void

  constructor(id: string, answers = 'S', act: (ctx: TickContext) => void = () => undefined, options: NodeOptions = {}) {
    super(id, options)
    this.#answers = answers
    this.#act = act
  }

  override _tick(ctx: TickContext): RunStatus {
    this.seen.push(ctx)
    this.#act(ctx)
    return STATUS[(this.#answers[Math.min(this.seen.length, this.#answers.length) - 1] ?? 'S') as Letter]
  }

  override onReset(): void {
    this.resets++
  }
}

/** A function that answers what its script lists. */
export function answers(script: string, calls: string[] = [], name = 'f'): TreeFunction {
  let count = 0
  return () => {
    calls.push(name)
    return STATUS[(script[Math.min(count++, script.length - 1)] ?? 'S') as Letter]
  }
}

export interface SeedWorld {
  readonly tree: BehaviorTree
  readonly clock: VirtualHost
  readonly bus: EventBus
  readonly events: BusEvent[]
  readonly types: () => string[]
}

/** A tree with a still clock, and all its events. */
export function world(form: Omit<TreeForm, 'id'> & { readonly id?: string }, host: TreeHost = {}): SeedWorld {
  const clock = virtualHost({ seed: 3 })
  const bus = new EventBus({ clock })
  const events: BusEvent[] = []
  bus.subscribeAll((event) => events.push(event))
  const tree = new BehaviorTree({ id: 'main', ...form }, { clock, events: bus, ...host })
  return { tree, clock, bus, events, types: () => events.map(({ type }) => type) }
}

/** The reason of the last failure of a tree. */
export function reasonOf(tree: BehaviorTree): string {
  return tree.blackboard.get('_failure_reason', 'str', 'none')
}
