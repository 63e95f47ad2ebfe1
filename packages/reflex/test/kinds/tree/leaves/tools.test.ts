import { describe, expect, test } from 'vitest'
import type { Json, JsonObject, Port } from '../../../../src/kernel/index.ts'
import { interpolate } from '../../../../src/kinds/tree/nodes/interpolate.ts'
import { Tools } from '../../../../src/tools/index.ts'
import { type Forest, forest, n } from '../tick/tree-world.ts'
import { payloads } from './leaf-world.ts'

async function call(result: (args: Json) => Json | Promise<Json>, params: JsonObject = {}): Promise<Forest> {
  const tool: Port = { leaves: false, repeat: 'free', perform: ({ args }) => result(((args ?? {}) as JsonObject).args ?? null) }
  return forest(n('tool', { id: 't', tool: 'find', args: { q: '${bb.topic}' }, output: 'found', ...params }), {
    ports: { tool },
    input: { topic: 'tides' },
  })
}

describe('tools', () => {
  test('a result is written under its key', async () => {
    const tree = await call((args) => ({ about: args }))
    expect([tree.run.status, tree.get('found'), tree.get('_tool_duration_ms')]).toEqual(['completed', { about: { q: 'tides' } }, 0])
  })

  test('an error in the result, or a thrown one, is a failure', async () => {
    const told = await call(() => ({ error: 'E', message: 'no such page' }))
    const thrown = await call(() => Promise.reject(new Error('no network')))
    expect([told, thrown].map((tree) => [tree.run.status, tree.get('found')])).toEqual([
      ['failed', undefined],
      ['failed', undefined],
    ])
    expect([told.get('_tool_error'), thrown.get('_tool_error')]).toEqual(['no such page', expect.stringContaining('no network')])
  })

  test('a tool that takes too long is stopped', async () => {
    const tree = await call(() => new Promise(() => undefined), { timeout: 50 })
    await tree.pass(50)
    expect(payloads(tree, 'tree.failed')).toMatchObject([{ error_code: 'E6001' }])
  })

  // proves: tree 92, tree TS-03
  test('a result that does not fit the schema of its tool is a failure, and nothing is written', async () => {
    const tools = new Tools([
      {
        name: 'find',
        description: 'finds',
        leaves: false,
        repeat: 'free',
        output: {
          '~standard': {
            version: 1,
            vendor: 'test',
            validate: (value) => (typeof value === 'string' ? { value } : { issues: [{ message: 'no text' }] }),
          },
        },
        run: () => ({ nested: { deep: 1 } }),
      },
    ])
    const call = {
      workdir: '/',
      runFolder: '/',
      signal: new AbortController().signal,
      key: 'k',
      part: () => undefined,
      allows: () => true,
      denies: () => false,
    }
    const tree = await forest(n('tool', { id: 't', tool: 'find', output: 'found' }), {
      ports: { tool: { leaves: false, repeat: 'free', perform: () => tools.prepare('find', {}).run(call) } },
    })
    expect([tree.run.status, tree.get('found'), tree.get('_tool_error')]).toEqual([
      'failed',
      undefined,
      'find returned a result that does not fit its schema: no text',
    ])
  })
})

describe('references in arguments', () => {
  const board: JsonObject = { n: 3, name: 'ana', list: [1, 2], deep: { a: { b: true } }, none: null }
  test.each([
    ['${bb.n}', 3],
    ['${bb.list}', [1, 2]],
    ['${bb.deep.a.b}', true],
    ['n is ${bb.n}, ${bb.name}', 'n is 3, ana'],
    ['${bb.missing} and', ' and'],
    ['${bb.missing | default:5}', 5],
    ['${bb.missing | default:1.5}', 1.5],
    ['${bb.missing | default:true}', true],
    ['${bb.missing | default:none}', null],
    ['${bb.missing | default:"a b"}', 'a b'],
    ['${bb.missing | default:plain}', 'plain'],
    [7, 7],
  ])('%j is %j', (given, expected) => {
    expect(interpolate({ at: [given] }, (key) => board[key])).toEqual({ at: [expected] })
  })
})
