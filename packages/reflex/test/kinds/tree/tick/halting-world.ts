import * as fc from 'fast-check'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { FAILURE, OPEN, RUNNING, SUCCESS, type Tick, type TreeNode } from '../../../../src/kinds/tree/manifest/behaviour.ts'
import { defineNode, type NodeManifest } from '../../../../src/kinds/tree/manifest/manifest.ts'
import { textOf } from '../../../../src/kinds/tree/model/text-of.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'

/** Watches nodes that begin, answer and are halted, and notes what must not happen. */
export class Watch {
  /** The nodes that have begun and have neither answered nor been halted. */
  readonly active = new Set<string>()
  readonly wrong: string[] = []
  halts = 0

  begins({ path }: TreeNode): void {
    if (this.active.has(path)) this.wrong.push(`${path} begins a second time`)
    this.active.add(path)
  }
  answers(node: TreeNode): void {
    if (!this.active.delete(node.path)) this.wrong.push(`${node.path} answers and has not begun`)
  }
  halted(node: TreeNode): void {
    this.halts++
    if (!this.active.delete(node.path)) this.wrong.push(`${node.path} is halted and is not RUNNING`)
    for (const { path } of below(node)) if (this.active.has(path)) this.wrong.push(`${node.path} is halted before ${path}`)
  }
}

function below({ children }: TreeNode): TreeNode[] {
  return children.flatMap((child) => [child, ...below(child)])
}

const COMMON = {
  parameters: [],
  propagates: 'policy',
  outcomes: () => ({ success: true, failure: true, running: true }),
  doc: '',
  example: '',
} as const

/**
 * Two types of nodes that are watched: `probe`, a leaf that answers what the parameter `script` lists, and `around`, a decorator. R is RUNNING, O is
 * RUNNING with an operation, P stops the tick at an operation. No operation ends.
 */
export function watchedNodes(watch: Watch, port = 'never', args: JsonObject = {}): readonly NodeManifest[] {
  const counts = new Map<string, number>()
  const next = (tick: Tick, node: TreeNode): number => {
    const script = textOf(node.params.script)
    const count = counts.get(node.path) ?? 0
    counts.set(node.path, count + 1)
    const word = script[count % script.length]
    if (word === 'O' || word === 'P') tick.request(node, port, args)
    if (word === 'O' || word === 'R') return RUNNING
    if (word === 'P') return OPEN
    watch.answers(node)
    return word === 'S' ? SUCCESS : FAILURE
  }
  const probe = defineNode({
    ...COMMON,
    type: 'probe',
    role: 'leaf',
    children: [0, 0],
    parameters: [{ name: 'script', type: 'text', required: true, doc: '' }],
    behaviour: {
      enter(tick, node) {
        watch.begins(node)
        return next(tick, node)
      },
      resume: next,
      settle(_, node) {
        watch.answers(node)
        return FAILURE
      },
      halt: (_, node) => watch.halted(node),
    },
  })
  const around = defineNode({
    ...COMMON,
    type: 'around',
    role: 'decorator',
    children: [1, 1],
    behaviour: {
      enter(_, node) {
        watch.begins(node)
        return 0
      },
      resume: () => 0,
      child(_, node, __, outcome) {
        if (outcome !== RUNNING) watch.answers(node)
        return outcome
      },
      halt: (_, node) => watch.halted(node),
    },
  })
  return [probe, around]
}

interface Draft extends Omit<NodeSource, 'id' | 'children'> {
  readonly children?: readonly Draft[]
}

const condition = fc.integer({ min: 0, max: 3 }).map((rest) => `ctx.tick_count % 4 ~= ${rest}`)
const rare = fc.option(condition, { nil: undefined, freq: 10 })
const probe = fc
  .array(fc.constantFrom('S', 'F', 'R', 'R', 'R', 'O', 'O', 'P'), { minLength: 1, maxLength: 4 })
  .map((words): Draft => ({ type: 'probe', params: { script: words.join('') } }))
const composite = fc.oneof(
  fc
    .constantFrom('sequence', 'selector', 'reactive_sequence', 'reactive_selector', 'sequence_with_memory', 'selector_with_memory')
    .map((type): Draft => ({ type })),
  fc
    .record({
      policy: fc.constantFrom('require_all', 'require_one'),
      on_child_fail: fc.constantFrom('cancel-siblings', 'continue', 'retry'),
    })
    .map((params): Draft => ({ type: 'parallel', params })),
)
const decorator = fc.oneof(
  fc.integer({ min: 1, max: 40 }).map((timeout_ms): Draft => ({ type: 'timeout', params: { timeout_ms } })),
  fc.constantFrom<Draft>({ type: 'inverter' }, { type: 'retry', params: { max_retries: 1 } }, { type: 'repeater', params: { count: 2 } }),
  condition.map((text): Draft => ({ type: 'guard', params: { condition: text } })),
)

const { tree } = fc.letrec<{ tree: Draft }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    probe,
    fc.tuple(composite, fc.array(tie('tree'), { minLength: 1, maxLength: 3 })).map(([draft, children]): Draft => ({ ...draft, children })),
    fc.tuple(decorator, tie('tree')).map(([draft, child]): Draft => ({ ...draft, children: [child] })),
    fc.tuple(rare, rare, tie('tree')).map(([keep, skip, child]): Draft => {
      const params = { ...(keep === undefined ? {} : { while: keep }), ...(skip === undefined ? {} : { skip_if: skip }) }
      return { type: 'around', params, children: [child] }
    }),
  ),
}))

/** Random trees of watched nodes below every composite and decorator that halts. */
export const watchedTree: fc.Arbitrary<NodeSource> = tree.map((draft) => {
  let count = 0
  const named = ({ children = [], ...rest }: Draft): NodeSource => ({ ...rest, id: `n${++count}`, children: children.map(named) })
  return named(draft)
})

export function idsOf({ id, children = [] }: NodeSource): readonly string[] {
  return [id, ...children.flatMap(idsOf)]
}

/** Returns the nodes that are RUNNING below one that is not. */
export function orphans({ id, children = [] }: NodeSource, statusOf: (id: string) => string | undefined): readonly string[] {
  return children.flatMap((child) => [
    ...(statusOf(child.id) === 'RUNNING' && statusOf(id) !== 'RUNNING' ? [child.id] : []),
    ...orphans(child, statusOf),
  ])
}

/** Returns the watched nodes that are RUNNING. */
export function watchedRunning(root: NodeSource, statusOf: (id: string) => string | undefined): readonly string[] {
  const { type, id, children = [] } = root
  const own = (type === 'probe' || type === 'around') && statusOf(id) === 'RUNNING' ? [id] : []
  return [...own, ...children.flatMap((child) => watchedRunning(child, statusOf))]
}
