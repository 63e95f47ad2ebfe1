import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../../src/kernel/index.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'
import type { FunctionRegistry } from '../../../../src/kinds/tree/tick/function-port.ts'
import { type Oracle, read, ReferenceTree } from './reference.ts'
import { forest } from './tree-world.ts'

type Draft = Omit<NodeSource, 'id' | 'children'> & { readonly children?: readonly Draft[] }

const condition = fc.integer({ min: 0, max: 2 }).map((rest) => `ctx.tick_count % 3 ~= ${rest}`)
const rare = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined, freq: 12 })
const around = fc.record({ skip_if: rare(condition), success_if: rare(condition), failure_if: rare(condition), while: rare(condition) })

const action = fc
  .record({ script: fc.array(fc.constantFrom('S', 'S', 'F', 'R'), { minLength: 1, maxLength: 4 }), writes: fc.boolean() })
  .map((params): Draft => ({ type: 'action', params: { fn: '', args: params } }))
const leaf = fc.oneof(
  { weight: 8, arbitrary: action },
  { weight: 1, arbitrary: condition.map((text): Draft => ({ type: 'condition', params: { condition: text } })) },
  { weight: 1, arbitrary: fc.constantFrom<Draft>({ type: 'succeed' }, { type: 'fail' }) },
)

const DECORATORS: fc.Arbitrary<Draft> = fc.oneof(
  fc.constantFrom('inverter', 'always_succeed', 'always_fail').map((type): Draft => ({ type })),
  fc.integer({ min: 0, max: 2 }).map((max_retries): Draft => ({ type: 'retry', params: { max_retries } })),
  fc
    .record({ count: fc.integer({ min: 1, max: 3 }), until_failure: fc.boolean(), until_success: fc.boolean() })
    .map((params): Draft => ({ type: 'repeater', params })),
  fc.boolean().map((then_skip): Draft => ({ type: 'run_once', params: { then_skip } })),
  condition.map((text): Draft => ({ type: 'guard', params: { condition: text } })),
  fc.constantFrom<Draft>({ type: 'cooldown', params: { cooldown_ms: 1e6 } }, { type: 'timeout', params: { timeout_ms: 1e6 } }),
  fc
    .record({ collection_key: fc.constantFrom('none', 'two', 'three'), continue_on_failure: fc.boolean() })
    .map((params): Draft => ({ type: 'for_each', params: { ...params, item_key: 'item' } })),
)
const IN_ORDER = ['sequence', 'selector', 'reactive_sequence', 'reactive_selector', 'sequence_with_memory', 'selector_with_memory']
const parallel = fc.record({
  policy: fc.constantFrom('require_all', 'require_one', 'require_n'),
  merge_strategy: fc.constantFrom('collect', 'last_wins', 'first_wins', 'fail'),
  on_child_fail: fc.constantFrom('cancel-siblings', 'continue', 'retry'),
  max_child_retries: fc.integer({ min: 0, max: 2 }),
  max_concurrent: fc.constantFrom(1, 2, 9),
  memory: fc.boolean(),
})

const { tree } = fc.letrec<{ tree: Draft }>((tie) => ({
  tree: fc
    .tuple(
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        leaf,
        fc
          .tuple(fc.constantFrom(...IN_ORDER), fc.array(tie('tree'), { minLength: 1, maxLength: 3 }))
          .map(([type, children]): Draft => ({ type, children })),
        fc.tuple(DECORATORS, tie('tree')).map(([draft, child]): Draft => ({ ...draft, children: [child] })),
        fc
          .tuple(fc.constantFrom('if_then_else', 'while_do_else'), fc.array(tie('tree'), { minLength: 2, maxLength: 3 }))
          .map(([type, children]): Draft => ({ type, children })),
        fc
          .tuple(parallel, fc.array(tie('tree'), { minLength: 1, maxLength: 3 }))
          .map(([params, children]): Draft => ({ type: 'parallel', params: { ...params, n: Math.min(2, children.length) }, children })),
      ),
      around,
    )
    .map(([draft, conditions]): Draft => {
      const given = Object.entries(conditions).filter(([, text]) => text !== undefined) as [string, string][]
      return { ...draft, params: { ...draft.params, ...Object.fromEntries(given) } }
    }),
}))

/** Gives the nodes ids, in preorder. */
function named(draft: Draft): NodeSource {
  let count = 0
  const name = ({ children = [], ...rest }: Draft): NodeSource => {
    const id = `n${++count}`
    const params = rest.type === 'action' ? { ...rest.params, fn: id } : rest.params
    return { ...rest, id, params: params as JsonObject, children: children.map(name) }
  }
  return name(draft)
}

function actionsOf(source: NodeSource): readonly NodeSource[] {
  return [...(source.type === 'action' ? [source] : []), ...(source.children ?? []).flatMap(actionsOf)]
}

const ANSWERS = { S: 'SUCCESS', F: 'FAILURE', R: 'RUNNING' } as const
const SHARED = 'k'

/** A leaf of a script: it says what it reads, and perhaps writes its name. */
function player(
  log: string[],
): (source: NodeSource, get: () => Json | undefined, set: (value: Json) => void) => (typeof ANSWERS)['S' | 'F' | 'R'] {
  const counts = new Map<string, number>()
  return ({ id, params }, get, set) => {
    const { script, writes } = (params?.args ?? {}) as { readonly script: readonly ('S' | 'F' | 'R')[]; readonly writes: boolean }
    const count = counts.get(id) ?? 0
    counts.set(id, count + 1)
    log.push(`${id} ${JSON.stringify(get() ?? null)}`)
    if (writes) set(`${id}#${count}`)
    return ANSWERS[script[count % script.length] ?? 'S']
  }
}

const LISTS = { none: [], two: ['a', 'b'], three: ['a', 'b', 'c'] }
const EVENTS = 7

// proves: tree 79, tree 93, tree 94, tree RC-01
test('random trees do what the rules say, tick by tick', async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (draft) => {
      const root = named(draft)
      const [expected, called]: [string[], string[]] = [[], []]
      const theirs = player(expected)
      const ours = player(called)
      const oracle: Oracle = {
        leaf: (source, values) =>
          theirs(
            source,
            () => read(values, SHARED),
            (value) => void values.own.set(SHARED, value),
          ),
        condition: (text, ticks) => ticks % 3 !== Number(text.at(-1)),
      }
      const functions: FunctionRegistry = Object.fromEntries(
        actionsOf(root).map((source) => [
          source.id,
          {
            reads: true,
            run: ({ blackboard }) =>
              ours(
                source,
                () => blackboard.get(SHARED),
                (value) => blackboard.set(SHARED, value),
              ),
          },
        ]),
      )
      const reference = new ReferenceTree(root, oracle)
      const board = { [SHARED]: {}, item: {}, none: {}, two: {}, three: {} }
      const world = await forest(root, { functions, stays: true, input: LISTS, tree: { tick_budget: 1, board } })
      for (const [key, value] of Object.entries(LISTS)) reference.board.own.set(key, value)
      for (let event = 0; event < EVENTS; event++) {
        reference.tick()
        expect(world.run.status).toBe('suspended')
        expect([called, world.states()]).toEqual([expected, reference.states()])
        expect(world.get(SHARED)).toEqual(read(reference.board, SHARED))
        await world.event(event)
      }
    }),
    { numRuns: 200 },
  )
})
