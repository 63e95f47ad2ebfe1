import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import type { NodeSource, TreeSource } from '../../../../src/kinds/tree/model/source.ts'
import { type Forest, forest, leaf, n } from '../tick/tree-world.ts'
import { payloads } from './leaf-world.ts'

const tree = (id: string, root: NodeSource, more: Partial<TreeSource> = {}): TreeSource => ({ format: 1, id, root, ...more })
const set = (key: string, expression: string): NodeSource => n('set', { key, expression })

async function refer(params: JsonObject, inner: TreeSource, more: Partial<TreeSource> = {}, input: JsonObject = {}): Promise<Forest> {
  return forest(n('subtree_ref', { id: 'ref', tree_name: inner.id, ...params }), { trees: [inner], tree: more, input })
}

describe('references to trees', () => {
  // proves: tree 11
  test('a lazy reference to a tree that is missing fails when it is ticked', async () => {
    const missing = await forest(n('subtree_ref', { id: 'ref', tree_name: 'nowhere', lazy: true }))
    expect(payloads(missing, 'tree.failed')).toMatchObject([{ error_code: 'E3001', failure_path: 'ref' }])
    const found = await refer({ lazy: true }, tree('inner', n('succeed')))
    expect(found.run.status).toBe('completed')
  })

  // proves: tree 13
  test('a lazy reference of a tree to itself fails when it is ticked', async () => {
    const again = n('subtree_ref', { id: 'again', tree_name: 'inner', lazy: true })
    const found = await refer({ lazy: true }, tree('inner', again))
    expect(payloads(found, 'tree.failed')).toMatchObject([{ error_code: 'E3002', failure_path: 'ref/again' }])
  })

  test('two references to one tree share no states', async () => {
    const inner = tree('inner', n('wait', { id: 'rest', wait_ms: 100 }))
    const root = n('parallel', {}, [
      n('subtree_ref', { id: 'one', tree_name: 'inner' }),
      n('sequence', {}, [n('wait', { wait_ms: 50 }), n('subtree_ref', { id: 'two', tree_name: 'inner' })]),
    ])
    const found = await forest(root, { trees: [inner] })
    await found.pass(50)
    await found.pass(50)
    expect([found.states().one, found.states().two]).toEqual(['SUCCESS', 'RUNNING'])
    await found.pass(50)
    expect(found.run.status).toBe('completed')
  })

  test('a tree begins with its first values, and only what it writes itself comes back', async () => {
    const inner = tree('inner', set('out', 'bb.word .. bb.suffix'), { board: { word: {}, suffix: { default: '!' }, out: {} } })
    const found = await refer(
      { bind: { word: 'topic.name' } },
      inner,
      { board: { word: {}, suffix: {}, out: {} } },
      { topic: { name: 'tides' } },
    )
    expect(['out', 'word', 'suffix'].map((key) => found.get(key))).toEqual(['tides!', undefined, undefined])
  })

  test('the outputs of a contract, a list or a map say what comes back', async () => {
    const root = n('sequence', {}, [set('a', '1'), set('b', '2')])
    const board = { a: {}, b: {} }
    const read = async (params: JsonObject, more: Partial<TreeSource> = {}): Promise<unknown> => {
      const found = await refer(params, tree('inner', root, { board, ...more }), { board: { ...board, mine: {} } })
      return ['a', 'b', 'mine'].map((key) => found.get(key))
    }
    expect(await read({}, { contract: { outputs: { b: 'any' } } })).toEqual([undefined, 2, undefined])
    expect(await read({ export: ['a'] })).toEqual([1, undefined, undefined])
    expect(await read({ export: { mine: 'b' } })).toEqual([undefined, undefined, 2])
    expect(await read({ share: true })).toEqual([1, 2, undefined])
  })

  test('autoremap binds and exports the keys that both trees declare', async () => {
    const inner = tree('inner', set('count', 'bb.count + 1'), { board: { count: { default: 0 } }, contract: { outputs: { other: 'any' } } })
    const found = await refer({ autoremap: true }, inner, { board: { count: {} } }, { count: 5 })
    expect(found.get('count')).toBe(6)
  })

  test('a tree whose contract needs a key without a value is not run', async () => {
    const inner = tree('inner', leaf('a'), { contract: { inputs: { word: 'string' } } })
    const found = await forest(n('subtree_ref', { id: 'ref', tree_name: 'inner' }), { trees: [inner], scripts: { a: ['S'] } })
    expect([found.calls, payloads(found, 'tree.failed')]).toMatchObject([[], [{ error_code: 'E2001', failure_path: 'ref' }]])
  })

  test('the limit of an outer tree holds for the trees to which it refers', async () => {
    const inner = tree('inner', n('action', { id: 'hang', fn: 'hang' }))
    const root = n('subtree_ref', { id: 'ref', tree_name: 'inner' })
    const found = await forest(root, {
      trees: [inner],
      functions: { hang: () => new Promise(() => undefined) },
      tree: { max_tick_duration_ms: 50 },
    })
    await found.pass(50)
    expect(payloads(found, 'tree.failed')).toMatchObject([{ error_code: 'E3003', failure_path: 'ref/hang' }])
  })
})

describe('called programs', () => {
  const slow = tree('slow', n('wait', { id: 'rest', wait_ms: 100 }), { board: { made: { default: 3 } } })
  const call = (params: JsonObject): NodeSource => n('call', { id: 'c', program: 'slow', ...params })

  test('a program gives its value and the keys that are exported', async () => {
    const found = await forest(call({ output: 'value', export: { mine: 'made' } }), { trees: [slow] })
    await found.pass(100)
    expect([found.run.status, found.get('value'), found.get('mine')]).toMatchObject(['completed', { status: 'SUCCESS' }, 3])
  })

  test('a failed program is a failure with its reason', async () => {
    const found = await forest(n('call', { id: 'c', program: 'bad' }), {
      trees: [tree('bad', n('fail', { id: 'no', reason: 'not today' }))],
    })
    // The program that failed reports its own end first.
    expect(payloads(found, 'tree.failed').at(-1)).toMatchObject({
      failure_node: 'c',
      error_message: expect.stringContaining('not today') as string,
    })
  })

  test('a program that takes too long is cancelled, and so is one whose node is halted', async () => {
    const timed = await forest(call({ timeout: 50 }), { trees: [slow] })
    await timed.pass(50)
    expect([timed.run.status, payloads(timed, 'tree.failed')]).toMatchObject(['failed', [{ error_code: 'E6001' }]])
    const halted = await forest(n('selector', {}, [n('timeout', { timeout_ms: 50 }, [call({})]), n('wait', { wait_ms: 500 })]), {
      trees: [slow],
    })
    await halted.pass(50)
    await halted.pass(500)
    expect(halted.run.status).toBe('completed')
    expect(payloads(halted, 'async.cancelled')).toMatchObject([{ node_id: 'c' }])
  })

  test('a program may take longer than the limit of the tree', async () => {
    const found = await forest(call({}), { trees: [slow], tree: { max_tick_duration_ms: 10 } })
    await found.pass(100)
    expect(found.run.status).toBe('completed')
  })
})

describe('questions', () => {
  const ask = (params: JsonObject = {}): NodeSource => n('ask', { id: 'q', text: 'About ${bb.topic}?', options: ['yes', 'no'], ...params })

  test('an answer is written, and one that means failure makes the node fail', async () => {
    const answered = async (answer: string): Promise<Forest> => {
      const found = await forest(ask({ output: 'said', fail_on: ['no'] }), { input: { topic: 'tides' } })
      const wait = [...found.run.state.waits.values()].find(({ type }) => type === 'answer')
      expect(wait?.about).toMatchObject({ text: 'About tides?' })
      await found.run.answer(String(wait?.id), answer)
      await found.pass(0)
      return found
    }
    const [yes, no] = [await answered('yes'), await answered('no')]
    expect([yes.run.status, yes.get('said'), no.run.status, no.get('said')]).toEqual(['completed', 'yes', 'failed', 'no'])
  })

  test('a question without an answer fails after its timeout only', async () => {
    const timed = await forest(ask({ timeout: 1000 }), { input: { topic: 'x' } })
    const patient = await forest(ask(), { input: { topic: 'x' }, tree: { max_tick_duration_ms: 10 } })
    await timed.pass(1000)
    await patient.pass(500_000)
    expect([timed.run.status, timed.run.state.waits.size, patient.run.status]).toEqual(['failed', 0, 'suspended'])
  })
})
