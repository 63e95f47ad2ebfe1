import * as fc from 'fast-check'
import { test } from 'vitest'
import { digest, isObject, type Json, type Port } from '../../../../src/kernel/index.ts'
import { pureFunctions } from '../../../../src/kinds/tree/compile/pure-functions.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'
import { NODES } from '../../../../src/kinds/tree/nodes/table.ts'
import { type FunctionRegistry, functionPort } from '../../../../src/kinds/tree/tick/function-port.ts'
import { treeKind } from '../../../../src/kinds/tree/tick/kind.ts'
import { kindSuite } from '../../../../src/testing/index.ts'
import { runsSettings } from '../../../policy/settings.ts'

/** A node without an id. */
type Draft = Omit<NodeSource, 'id' | 'children'> & { readonly children?: readonly Draft[] }

const word = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
const leaf: fc.Arbitrary<Draft> = fc.oneof(
  word.map((q): Draft => ({ type: 'tool', params: { tool: 'find', args: { q, before: '${bb.found | default:none}' }, output: 'found' } })),
  word.map((q): Draft => ({ type: 'llm_call', params: { prompt: `${q} \${bb.found}`, response_key: 'text', stream_to: 'growing' } })),
  fc
    .tuple(fc.constantFrom('keyed', 'later', 'reads', 'pure'), word)
    .map(([fn, q]): Draft => ({ type: 'action', params: { fn, args: { q } } })),
  word.map((q): Draft => ({ type: 'condition', params: { condition: { fn: 'test', args: { q } } } })),
  fc.constantFrom<Draft>(
    { type: 'ask', params: { text: 'Go on?', output: 'said' } },
    { type: 'wait', params: { wait_ms: 20 } },
    { type: 'call', params: { program: 'other', args: { given: '${bb.found | default:none}' }, export: { found: 'made' } } },
    { type: 'set', params: { key: 'count', expression: '(bb.count or 0) + 1' } },
  ),
)
const around: fc.Arbitrary<Draft> = fc.oneof(
  fc.constantFrom('inverter', 'always_succeed', 'always_fail', 'run_once').map((type): Draft => ({ type })),
  fc.integer({ min: 0, max: 50 }).map((backoff_ms): Draft => ({ type: 'retry', params: { max_retries: 1, backoff_ms } })),
  fc.constantFrom<Draft>(
    { type: 'repeater', params: { count: 2 } },
    { type: 'timeout', params: { timeout_ms: 10_000 } },
    { type: 'for_each', params: { collection_key: 'two', continue_on_failure: true } },
  ),
)
const parallel: fc.Arbitrary<Draft> = fc.constantFrom<Draft>(
  { type: 'parallel', params: { on_child_fail: 'continue', merge_strategy: 'collect' } },
  { type: 'parallel', params: { on_child_fail: 'continue', merge_strategy: 'last_wins', max_concurrent: 1 } },
)
const { tree } = fc.letrec<{ tree: Draft }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .tuple(fc.constantFrom('sequence', 'selector', 'sequence_with_memory'), fc.array(tie('tree'), { minLength: 2, maxLength: 3 }))
      .map(([type, children]): Draft => ({ type, children })),
    fc.tuple(around, tie('tree')).map(([draft, child]): Draft => ({ ...draft, children: [child] })),
    fc.tuple(parallel, fc.array(tie('tree'), { minLength: 2, maxLength: 2 })).map(([draft, children]): Draft => ({ ...draft, children })),
    tie('tree').map(
      (child): Draft => ({
        type: 'for_each',
        params: { collection_key: 'two', item_key: 'one', parallel: true, continue_on_failure: true, max_concurrent: 1 },
        children: [child],
      }),
    ),
  ),
}))

function named(draft: Draft): NodeSource {
  let count = 0
  const name = ({ children = [], ...rest }: Draft): NodeSource => ({ ...rest, id: `${rest.type}_${++count}`, children: children.map(name) })
  return name(draft)
}

const even = (args: Json | undefined): boolean => parseInt(digest(JSON.stringify(args ?? null)).slice(0, 1), 16) % 4 > 0
const status = (args: Json): 'SUCCESS' | 'FAILURE' => (even(args) ? 'SUCCESS' : 'FAILURE')
const FUNCTIONS: FunctionRegistry = {
  keyed: { repeat: 'keyed', run: ({ blackboard }, args) => (blackboard.set('found', args), status(args)) },
  later: { repeat: 'keyed', run: async (_, args) => Promise.resolve(status(args)) },
  reads: { reads: true, run: ({ blackboard }, args) => (blackboard.set('seen', blackboard.get('found') ?? null), status(args)) },
  pure: { version: '1', pure: ({ blackboard }, args) => (blackboard.set('count', Number(blackboard.get('count') ?? 0) + 1), status(args)) },
  test: { version: '1', pure: (_, args) => even(args) },
}

const ports = (): Readonly<Record<string, Port>> => ({
  function: functionPort(FUNCTIONS, {}),
  model: {
    leaves: false,
    repeat: 'free',
    perform(call) {
      call.part({ text: 'The ' })
      call.part({ text: 'moon' })
      return { text: 'The moon', model: 'test:m', finish: 'stop', usage: { input: 3, output: 2 }, tries: 1 }
    },
  },
  tool: {
    leaves: true,
    repeat: 'keyed',
    perform({ args }) {
      const given = isObject(args) ? (args.args ?? null) : null
      return even(given) ? { of: given } : { error: 'nothing found' }
    },
  },
})

const OTHER = {
  format: 1,
  id: 'other',
  board: { given: {}, made: {} },
  root: { type: 'set', id: 'make', params: { key: 'made', expression: 'bb.given' } },
}
/** The cases in which the process dies, at each commit and effect, or is resumed from each record. */
const DEADLY = /survives a crash|resumes from every record|survives three crashes|same state folded/

test('a random tree that dies at any record ends as if it had not, and no settled call is made again', async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (draft) => {
      const board = { two: { default: ['x', 'y'] }, one: {}, found: {}, text: {}, seen: {}, said: {}, count: {}, growing: {} }
      const suite = kindSuite({
        name: 'a random tree',
        kinds: [treeKind({ nodes: new Map(NODES.map((manifest) => [manifest.type, manifest])), pure: pureFunctions(FUNCTIONS) })],
        settings: runsSettings(),
        programs: [
          { kind: 'tree', id: 'main', source: { format: 1, id: 'main', board, root: named(draft) } as unknown as Json },
          { kind: 'tree', id: 'other', source: OTHER },
        ],
        ports,
        script: { answer: () => 'yes' },
        times: ['timestamp', 'first', 'last'],
      })
      for (const { name, run } of suite) if (DEADLY.test(name)) await run()
    }),
    { numRuns: 6, seed: 20 },
  )
})
