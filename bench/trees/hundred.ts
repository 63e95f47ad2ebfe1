import type { Runtime } from '../../packages/reflex/src/kernel/index.ts'
import type { CompileOptions } from '../../packages/reflex/src/kinds/tree/compile/compile.ts'
import { FAILURE, RUNNING, SKIPPED, SUCCESS } from '../../packages/reflex/src/kinds/tree/manifest/behaviour.ts'
import { defineNode } from '../../packages/reflex/src/kinds/tree/manifest/manifest.ts'
import type { NodeSource, TreeSource } from '../../packages/reflex/src/kinds/tree/model/source.ts'
import { NODES } from '../../packages/reflex/src/kinds/tree/nodes/table.ts'

/** The nodes that are ticked in one tick of the tree of 100. */
export const VISITED = 98

/** Calls what each library makes of a node, so that all have the same tree. */
export interface Shape<T> {
  sequence(children: readonly T[]): T
  selector(children: readonly T[]): T
  alwaysSucceed(child: T): T
  /** Succeeds in each tick. */
  steady(): T
  /** Succeeds in every second tick: in the even ones, or in the odd ones. */
  turning(phase: 0 | 1): T
}

/**
 * The children of the root of a tree of 100 nodes, all of which succeed: 4 selectors between a leaf that succeeds in every second tick and one that
 * always does, 8 sequences of 8 leaves, 7 decorated leaves. 8 nodes change with each tick.
 */
export function branches<T>(shape: Shape<T>): T[] {
  const eight = (): T => shape.sequence(Array.from({ length: 8 }, () => shape.steady()))
  return [
    ...([0, 0, 1, 1] as const).map((phase) => shape.selector([shape.turning(phase), shape.steady()])),
    ...Array.from({ length: 8 }, eight),
    ...Array.from({ length: 7 }, () => shape.alwaysSucceed(shape.steady())),
  ]
}

/** A leaf of a host. */
const leaf = { role: 'leaf', children: [0, 0], lua: { shapes: [['config']] }, propagates: 'leaf', doc: '', example: '' } as const
const parameter = { type: 'count', doc: '' } as const
const any = () => ({ success: true, failure: true, running: true })

const steady = defineNode({ ...leaf, type: 'steady', parameters: [], outcomes: any, behaviour: { enter: () => SUCCESS } })
const turning = defineNode({
  ...leaf,
  type: 'turning',
  parameters: [
    { ...parameter, name: 'phase' },
    { ...parameter, name: 'fails' },
  ],
  outcomes: any,
  behaviour: {
    enter: ({ count }, { params }) => (count % 2 === params.phase ? SUCCESS : params.fails === 1 ? FAILURE : SKIPPED),
  },
})
/** The last leaf of a root that stays RUNNING: it asks for the next tick until there were so many. */
const ticks = defineNode({
  ...leaf,
  type: 'ticks',
  parameters: [{ ...parameter, name: 'count' }],
  outcomes: any,
  behaviour: {
    endsByItself: true,
    enter(tick, node) {
      if (tick.count >= Number(node.params.count)) return SUCCESS
      tick.again(node)
      return RUNNING
    },
    resume(tick, node) {
      return this.enter(tick, node)
    },
  },
})
const forever = defineNode({
  ...leaf,
  type: 'forever',
  parameters: [],
  outcomes: any,
  behaviour: { endsByItself: true, enter: () => RUNNING },
})

/** The catalogue with the leaves of the host. */
export const OPTIONS: CompileOptions = { nodes: new Map([...NODES, steady, turning, ticks, forever].map((node) => [node.type, node])) }

/** The leaves of the tree of 100 nodes, and the way in which it is ticked. */
export interface TreeShape {
  /** `turns`: 8 nodes change in each tick. `fails`: 4 of these are failures in every second tick. `rests`: nothing changes. */
  readonly leaves: 'turns' | 'fails' | 'rests'
  /** The ticks of the run, one right after another; or the milliseconds between two ticks of the clock. */
  readonly ticks?: number
  readonly everyMs?: number
}

/** The tree of 100 as a source of the kind. */
export function hundred({ leaves, ticks: count, everyMs }: TreeShape): TreeSource {
  const node = nodesOf()
  const root = node('reactive_sequence', {}, [
    ...branches<NodeSource>({
      sequence: (children) => node('sequence', {}, children),
      selector: (children) => node('selector', {}, children),
      alwaysSucceed: (child) => node('always_succeed', {}, [child]),
      steady: () => node('steady'),
      turning: (phase) => (leaves === 'rests' ? node('steady') : node('turning', { phase, fails: leaves === 'fails' ? 1 : 0 })),
    }),
    count === undefined ? node('forever') : node('ticks', { count }),
  ])
  return { format: 1, id: 'hundred', root, tick_budget: 1e9, ...(everyMs === undefined ? {} : { tick_every: everyMs }) }
}

/** A tree of about so many nodes of the catalogue: conditions over the board, assignments, and decorators, in sequences. */
export function large(size: number): TreeSource {
  const node = nodesOf()
  const group = (i: number): NodeSource =>
    node('selector', {}, [
      node('sequence', {}, [
        node('condition', { condition: `bb.key${i % 20} > ${i} and bb.key${(i + 1) % 20} ~= "off"` }),
        node('set', { key: `key${i % 20}`, expression: `bb.key${i % 20} + 1` }),
        node('inverter', {}, [node('condition', { condition: `bb.key${i % 20} < 0` })]),
        node('wait', { wait_ms: 50 }),
      ]),
      node('retry', { max_retries: 2 }, [node('action', { fn: 'robot.drive', args: { to: `place ${i}` } })]),
    ])
  const groups = Array.from({ length: Math.round((size - 1) / 9) }, (_, i) => group(i))
  const board = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`key${i}`, { type: 'number', default: i }]))
  return { format: 1, id: 'large', board, root: node('sequence', {}, groups) }
}

function nodesOf(): (type: string, params?: NodeSource['params'], children?: readonly NodeSource[]) => NodeSource {
  let count = 0
  return (type, params = {}, children = []) => ({ type, id: `${type}_${++count}`, params, children })
}

/** Adds a tree to the programs of a runtime. */
export function addTree(runtime: Runtime, source: TreeSource): ReturnType<Runtime['programs']['add']> {
  return runtime.programs.add('tree', source.id, source as never)
}
