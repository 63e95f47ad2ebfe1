import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../../src/kernel/index.ts'
import type { FunctionContext, FunctionRegistry } from '../../../../src/kinds/tree/tick/function-port.ts'
import type { NodeSource } from '../../../../src/kinds/tree/model/source.ts'
import { faults as modelFaults } from '../../../../src/models/faults.ts'
import { Doors } from '../../../kernel/world.ts'
import { type Forest, forest, type ForestOptions, n } from '../tick/tree-world.ts'
import { differenceOf, payloads } from './leaf-world.ts'

const reply = (text: string): JsonObject => ({ text, model: 'test:m', finish: 'stop', usage: { input: 3, output: 4 }, tries: 1 })
const call = (id: string, params: JsonObject = {}): NodeSource =>
  n('llm_call', { id, prompt: 'hello', response_key: `${id}_answer`, ...params })

async function world(root: NodeSource, options: ForestOptions = {}): Promise<{ tree: Forest; doors: Doors }> {
  const doors = new Doors()
  const board = { seen: {}, ...options.tree?.board }
  const tree = await forest(root, { ports: { model: doors.port() }, ...options, tree: { ...options.tree, board } })
  return { tree, doors }
}

describe('texts that grow', () => {
  // proves: tree 86, tree RC-04
  test('two answers grow side by side, each under its own key', async () => {
    const root = n('parallel', {}, [call('one', { stream_to: 'a' }), call('two', { stream_to: 'b' })])
    const { tree, doors } = await world(root)
    const [one, two] = [doors.door(0), doors.door(1)]
    one.part({ text: 'x1' })
    two.part({ text: 'y1' })
    await tree.pass(200)
    one.part({ text: 'x2' })
    two.part({ text: 'y2' })
    await tree.pass(200)
    one.settle(reply('x1x2'))
    two.settle(reply('y1y2'))
    await tree.pass(0)
    expect([tree.get('a'), tree.get('b')]).toMatchObject([{ accumulated: 'x1x2' }, { accumulated: 'y1y2' }])
    expect(await differenceOf(tree)).toBeUndefined()
  })

  test('two models that write to one key have a text each, and a sibling sees neither', async () => {
    const chunks: Json[] = []
    const functions: FunctionRegistry = { chunk: { reads: true, run: (_: FunctionContext, args) => void chunks.push(args) } }
    const branch = (id: string): NodeSource => call(id, { stream_to: 'a', on_chunk: 'chunk' })
    const blind = n('reactive_sequence', {}, [n('condition', { condition: 'bb.a == nil' }), n('wait', { wait_ms: 1000 })])
    const root = n('parallel', { merge_strategy: 'collect' }, [branch('one'), branch('two'), blind])
    const { tree, doors } = await world(root, { functions })
    doors.door(0).part({ text: 'x1' })
    doors.door(1).part({ text: 'y1' })
    await tree.pass(200)
    doors.door(0).part({ text: 'x2' })
    await tree.pass(200)
    expect(chunks).toEqual([
      { content: 'x1', index: 0, accumulated: 'x1' },
      { content: 'y1', index: 0, accumulated: 'y1' },
      { content: 'x2', index: 1, accumulated: 'x1x2' },
    ])
    doors.door(0).settle(reply('x1x2'))
    doors.door(1).settle(reply('y1'))
    await tree.pass(1000)
    expect(tree.get('a')).toMatchObject([{ accumulated: 'x1x2' }, { accumulated: 'y1' }])
  })

  test('a node that reads a text is ticked with each piece, also in the tree above a reference', async () => {
    const inner = { format: 1 as const, id: 'inner', board: { a: {} }, root: call('ask', { stream_to: 'a' }) }
    const enough = n('condition', { id: 'enough', condition: 'bb.a ~= nil and #bb.a.accumulated >= 4' })
    const root = n('reactive_selector', {}, [enough, n('subtree_ref', { id: 'ref', tree_name: 'inner', share: true })])
    const { tree, doors } = await world(root, { trees: [inner], tree: { board: { a: {} } } })
    doors.door().part({ text: 'ab' })
    await tree.pass(200)
    expect([tree.run.status, doors.door().signal.aborted]).toEqual(['running', false])
    doors.door().part({ text: 'cd' })
    await tree.pass(200)
    expect([tree.run.status, doors.door().signal.aborted]).toEqual(['completed', true])
    expect(tree.get('a')).toEqual({ content: '', index: -1, accumulated: 'abcd' })
    expect(await differenceOf(tree)).toBeUndefined()
  })

  // proves: tree 87, tree 88
  test('pieces of an earlier attempt are not part of the answer', async () => {
    const { tree, doors } = await world(n('parallel', {}, [call('ask', { stream_to: 'a' })]))
    const first = doors.door(0)
    first.part({ text: 'old' })
    await tree.pass(100)
    first.fail(modelFaults.make('R4011', 'lost'))
    await tree.pass(0)
    await tree.pass(2000)
    first.part({ text: 'late' })
    doors.door(1).part({ text: 'new' })
    await tree.pass(100)
    doors.door(1).fail(modelFaults.make('R4006', 'no'))
    await tree.pass(0)
    expect(tree.run.status).toBe('failed')
    expect((await tree.records()).join('\n')).toContain('"partial":"new"')
  })
})

describe('the function of pieces', () => {
  test('gets each piece, and what it writes counts', async () => {
    const chunk = ({ blackboard }: FunctionContext, args: Json): undefined => {
      blackboard.set('seen', [...((blackboard.get('seen') ?? []) as readonly Json[]), args])
    }
    const { tree, doors } = await world(call('ask', { on_chunk: 'chunk' }), { functions: { chunk: { reads: true, run: chunk } } })
    expect(doors.door().args).toMatchObject({ stream: true })
    doors.door().part({ text: 'The ' })
    await tree.pass(200)
    doors.door().part({ text: 'moon' })
    await tree.pass(200)
    expect(tree.get('seen')).toEqual([
      { content: 'The ', index: 0, accumulated: 'The ' },
      { content: 'moon', index: 1, accumulated: 'The moon' },
    ])
    doors.door().settle(reply('The moon'))
    await tree.pass(0)
    expect([tree.run.status, payloads(tree, 'llm.stream.complete')]).toMatchObject(['completed', [{ characters: 8 }]])
    expect(await differenceOf(tree)).toBeUndefined()
  })

  test('an error of it is an event, and the model continues', async () => {
    const chunk = (): never => {
      throw new Error('no screen')
    }
    const { tree, doors } = await world(call('ask', { on_chunk: 'chunk' }), { functions: { chunk: { reads: true, run: chunk } } })
    doors.door().part({ text: 'The ' })
    await tree.pass(200)
    expect(payloads(tree, 'llm.chunk.failed')).toMatchObject([{ node_id: 'ask', error_message: 'the function chunk failed: no screen' }])
    doors.door().settle(reply('The moon'))
    await tree.pass(0)
    expect(tree.run.status).toBe('completed')
  })

  test('a late answer of it changes nothing', async () => {
    let end: (() => void) | undefined
    const chunk = ({ blackboard }: FunctionContext): Promise<undefined> =>
      new Promise((resolve) => {
        end = () => {
          blackboard.set('seen', 'late')
          resolve(undefined)
        }
      })
    const root = n('sequence', {}, [call('ask', { on_chunk: 'chunk' }), n('wait', { wait_ms: 1000 })])
    const { tree, doors } = await world(root, { functions: { chunk: { reads: true, run: chunk } } })
    doors.door().part({ text: 'The ' })
    await tree.pass(200)
    doors.door().settle(reply('The moon'))
    await tree.pass(0)
    end?.()
    await tree.pass(1000)
    expect([tree.run.status, tree.get('seen')]).toEqual(['completed', undefined])
  })
})
