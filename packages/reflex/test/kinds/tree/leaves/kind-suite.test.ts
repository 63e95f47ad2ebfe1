import { describe, test } from 'vitest'
import { digest, isObject, type Json, type Port } from '../../../../src/kernel/index.ts'
import type { TreeSource } from '../../../../src/kinds/tree/model/source.ts'
import { NODES } from '../../../../src/kinds/tree/nodes/table.ts'
import { functionPort } from '../../../../src/kinds/tree/tick/function-port.ts'
import { treeKind } from '../../../../src/kinds/tree/tick/kind.ts'
import { type LuaRunner, scriptPort } from '../../../../src/kinds/tree/tick/script-port.ts'
import { kindSuite } from '../../../../src/testing/index.ts'
import { runsSettings } from '../../../policy/settings.ts'
import { n } from '../tick/tree-world.ts'

/** Lua that answers at once, as the suite counts turns and a worker takes real time. */
const lua: LuaRunner = {
  run: ({ board: { count = 0, topic = '' } }) => {
    const sum = Number(count) + (typeof topic === 'string' ? topic : '').length
    return Promise.resolve({
      ok: true,
      value: { status: 'success', blackboard: { total: sum } },
      writes: [['set', 'count', sum]],
      printed: [],
      steps: 1,
    })
  },
}

const tree = (id: string, rest: Omit<TreeSource, 'id' | 'format'>): { kind: string; id: string; source: Json } => ({
  kind: 'tree',
  id,
  source: { format: 1, id, ...rest } as unknown as Json,
})

/** One of each: a function, a script, a model whose answer grows, a tool, a person, a program, and a tree that is linked when it is reached. */
const main = tree('main', {
  board: {
    topic: { type: 'string', default: 'tides' },
    count: { type: 'int', default: 0 },
    draft: {},
    report: {},
    verdict: {},
    total: {},
    words: { default: ['a', 'b', 'c'] },
    hits: {},
  },
  root: n('sequence', { id: 'all' }, [
    n('action', { id: 'note', fn: 'note' }),
    n('script', {
      id: 'count',
      code: 'bb.set("count", bb.count + #bb.topic) return { status = "success", blackboard = { total = bb.count } }',
    }),
    n('parallel', { id: 'both' }, [
      n('llm_call', { id: 'write', prompt: 'about ${bb.topic}', response_key: 'draft', stream_to: 'growing' }),
      n('tool', { id: 'look', tool: 'find', args: { topic: '${bb.topic}' }, output: 'found' }),
    ]),
    n('for_each', { id: 'each', collection_key: 'words', item_key: 'one', parallel: true, max_concurrent: 2 }, [
      n('sequence', { id: 'body' }, [
        n('tool', { id: 'find', tool: 'find', args: { word: '${bb.one}' }, output: 'hit' }),
        n('set', { id: 'hits', key: 'hits', expression: 'bb.one' }),
      ]),
    ]),
    n('retry', { id: 'twice', max_retries: 1 }, [n('condition', { id: 'enough', condition: 'bb.count > 3' })]),
    n('ask', { id: 'good', text: 'Is it good?', options: ['yes', 'no'], fail_on: ['no'], output: 'verdict' }),
    n('call', { id: 'other', program: 'other', args: { given: '${bb.topic}' }, export: { report: 'made' } }),
    n('subtree_ref', { id: 'later', tree_name: 'inner', lazy: true, bind: { word: 'topic' }, export: ['total'] }),
  ]),
})
const other = tree('other', {
  board: { given: {}, made: {} },
  root: n('set', { id: 'make', key: 'made', expression: '"made of " .. bb.given' }),
})
const inner = tree('inner', {
  board: { word: {}, total: {} },
  root: n('sequence', { id: 'in' }, [n('action', { id: 'measure', fn: 'measure' }), n('wait', { id: 'rest', wait_ms: 50 })]),
})

const ports = (): Readonly<Record<string, Port>> => ({
  function: functionPort(
    {
      note: { repeat: 'keyed', run: ({ blackboard }) => (blackboard.set('report', 'none'), 'SUCCESS') },
      measure: {
        reads: true,
        run: ({ blackboard }) => (blackboard.set('total', (blackboard.get('word') as string).length), Promise.resolve('SUCCESS' as const)),
      },
    },
    {},
  ),
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
    perform: ({ args }) => ({ found: digest(JSON.stringify(args)).slice(0, 8), about: isObject(args) ? (args.args ?? null) : null }),
  },
})

const suite = kindSuite({
  name: 'a tree with every leaf',
  kinds: [treeKind({ nodes: new Map(NODES.map((manifest) => [manifest.type, manifest])) })],
  settings: runsSettings(),
  programs: [main, other, inner],
  ports: (_, host) => ({ ...ports(), script: scriptPort(() => Promise.resolve(lua), host) }),
  script: { answer: () => 'yes' },
  times: ['timestamp', 'first', 'last'],
  calling: (callee) =>
    ({
      format: 1,
      id: 'main',
      board: { got: {} },
      root: n('call', { id: 'guest', program: callee, output: 'got' }),
    }) as unknown as Json,
})

describe('the kind suite on trees', () => {
  for (const { name, run } of suite) test(name, run)
})
