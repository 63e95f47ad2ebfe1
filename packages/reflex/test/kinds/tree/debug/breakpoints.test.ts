import { describe, expect, test } from 'vitest'
import { replay } from '../../../../src/kernel/index.ts'
import { type Forest, forest, leaf, n } from '../tick/tree-world.ts'

const three = (): ReturnType<typeof n> => n('sequence', { id: 'root' }, [leaf('a'), leaf('b'), leaf('c')])
const SCRIPTS = { a: ['S'], b: ['S'], c: ['S'] } as const
const paused = (tree: Forest): unknown[] =>
  tree.events.filter(([type]) => type === 'tree.debug.paused').map(([, { node_path }]) => node_path)

/** Starts a tree that waits for its first event. */
async function waiting(): Promise<Forest> {
  const tree = await forest(three(), { stays: true, scripts: SCRIPTS })
  tree.calls.length = 0
  return tree
}

// proves: tree 116
describe('a breakpoint', () => {
  test('stops the walk before its node; resume goes on there without hitting again', async () => {
    const tree = await waiting()
    await tree.command('break b')
    await tree.event('go')
    expect([tree.calls, paused(tree), tree.states().b]).toEqual([['a'], ['b'], 'FRESH'])
    await tree.command('resume')
    expect([tree.calls, paused(tree)]).toEqual([['a', 'b', 'c'], ['b']])
  })

  test('hits again in the next execution, and counts its hits', async () => {
    const tree = await waiting()
    await tree.command({ do: 'break', node: 'b' })
    for (const event of ['one', 'two']) {
      await tree.event(event)
      await tree.command('resume')
    }
    expect(tree.get('_debug')).toMatchObject({ breaks: { b: { hit_count: 2, enabled: true } } })
  })

  test('can be disabled, enabled, removed and cleared', async () => {
    const tree = await waiting()
    for (const command of ['break a', 'break b', 'disable a', 'unbreak b']) await tree.command(command)
    await tree.event('go')
    expect(tree.calls).toEqual(['a', 'b', 'c'])
    await tree.command('enable a')
    await tree.event('go')
    expect(paused(tree)).toEqual(['a'])
    await tree.command('clear')
    await tree.command('resume')
    expect([tree.get('_debug'), tree.events.filter(([type]) => type === 'tree.debug.cleared')[0]?.[1].count]).toEqual([undefined, 1])
  })

  test.each([
    ['count > 2', 'main/a', ['one', 'two', 'three']],
    ['count exists', 'main/a', []],
  ])('with the condition %s stops only where it is true', async (when) => {
    let count = 0
    const functions = {
      a: { reads: true as const, run: (context: never) => ((context as Board).blackboard.set('count', ++count), 'SUCCESS') },
    }
    const tree = await forest(three(), {
      stays: true,
      scripts: { b: ['S'], c: ['S'] },
      functions: functions as never,
      tree: { board: { count: { type: 'int' } } },
    })
    await tree.command(`break b when ${when}`)
    for (let i = 0; i < 3 && paused(tree).length === 0; i++) await tree.event(i)
    expect([paused(tree), count]).toEqual([['b'], when === 'count exists' ? 2 : 3])
  })

  test('whose condition reads an unknown key, or cannot be evaluated, does not hit', async () => {
    const tree = await waiting()
    await tree.command('break a when nothing')
    await tree.command('break b when bb.nothing + 1 > 0')
    await tree.event('go')
    expect([paused(tree), tree.calls]).toEqual([[], ['a', 'b', 'c']])
  })

  test('lets the time of the tree stand still: no timeout, no watchdog', async () => {
    const root = n('timeout', { id: 'limit', timeout_ms: 1000 }, [n('sequence', {}, [n('wait', { id: 'nap', wait_ms: 500 }), leaf('b')])])
    const tree = await forest(root, { scripts: { b: ['S'] }, stays: true, tree: { board: {} } })
    await tree.pass(100)
    await tree.command('pause')
    await tree.pass(90_000)
    expect([tree.run.status, tree.states().limit]).toEqual(['suspended', 'RUNNING'])
    await tree.command('resume')
    await tree.pass(399)
    expect(tree.calls).toEqual([])
    await tree.pass(1)
    expect([tree.calls, tree.states().limit]).toEqual([['b'], 'SUCCESS'])
  })
})

describe('single steps', () => {
  // proves: tree 116
  test('tick exactly one node each', async () => {
    const tree = await waiting()
    await tree.command('pause')
    await tree.event('go')
    const seen = [[...tree.calls]]
    for (let i = 0; i < 4; i++) {
      await tree.command('step')
      seen.push([...tree.calls])
    }
    expect([seen, paused(tree)]).toEqual([
      [[], [], ['a'], ['a', 'b'], ['a', 'b', 'c']],
      ['root', 'a', 'b', 'c'],
    ])
  })

  test('are possible from the first tick on, in a run that does not stay', async () => {
    const tree = await forest(three(), { scripts: SCRIPTS, input: {}, debug: ['break c', 'step'] })
    expect([tree.calls, paused(tree)]).toEqual([[], ['root']])
    await tree.command('resume')
    expect([tree.calls, paused(tree)]).toEqual([
      ['a', 'b'],
      ['root', 'c'],
    ])
    await tree.run.message('debug', 'resume')
    await tree.run.idle()
    expect([tree.run.status, tree.calls]).toEqual(['completed', ['a', 'b', 'c']])
  })
})

describe('a forced answer', () => {
  test('replaces the tick of its node until it is taken back', async () => {
    const tree = await waiting()
    await tree.command('force b failure')
    await tree.event('go')
    expect([tree.calls, tree.states(), tree.get('_failure_reason')]).toEqual([
      ['a'],
      { root: 'FAILURE', a: 'SUCCESS', b: 'FAILURE', c: 'FRESH' },
      'child b failed: b was forced to fail',
    ])
    await tree.command('unforce b')
    await tree.event('go')
    expect(tree.calls).toEqual(['a', 'a', 'b', 'c'])
  })

  test('of running keeps a node RUNNING without ticking it', async () => {
    const tree = await waiting()
    await tree.command('force b running')
    await tree.event('go')
    expect([tree.calls, tree.states().b]).toEqual([['a'], 'RUNNING'])
    await tree.command('unforce b')
    await tree.event('go')
    expect(tree.calls).toEqual(['a', 'b', 'c'])
  })
})

describe('a command', () => {
  test('that cannot be read, or names no node, changes nothing and says why', async () => {
    const tree = await waiting()
    for (const command of ['brek b', 'break d', 'force b maybe', 'break b when (', 7]) await tree.command(command)
    const refused = tree.events.filter(([type]) => type === 'tree.debug.refused').map(([, { message }]) => message)
    expect(refused).toHaveLength(5)
    expect(refused[0]).toBe('"brek b" is not a command for a tree')
    expect(tree.get('_debug')).toBeUndefined()
  })

  test('cancel stops the execution with its reason', async () => {
    const tree = await forest(n('sequence', { id: 'root' }, [leaf('a'), n('wait', { id: 'nap', wait_ms: 5000 })]), {
      stays: true,
      scripts: SCRIPTS,
    })
    await tree.command('cancel no longer needed')
    const cancelled = tree.events.find(([type]) => type === 'tree.cancelled')?.[1]
    expect(cancelled).toMatchObject({ reason: 'no longer needed', node_id: 'nap' })
    expect(tree.states()).toEqual({ root: 'FAILURE', a: 'FRESH', nap: 'FAILURE' })
  })
})

describe('debugging', () => {
  test('is recorded, so that it replays', async () => {
    const tree = await waiting()
    for (const command of ['break b', 'force c success']) await tree.command(command)
    await tree.event('go')
    await tree.pass(60_000)
    for (const command of ['step', 'resume', 'clear']) await tree.command(command)
    const { records } = await tree.runtime.history(tree.run.id)
    expect(replay(records, tree.runtime.programs).difference).toBeUndefined()
  })

  // proves: tree 116
  test('leaves nothing in the records of a tree that nobody debugs', async () => {
    const [debugged, plain] = [await waiting(), await waiting()]
    await debugged.command('break b')
    await debugged.command('clear')
    for (const tree of [debugged, plain]) await tree.event('go')
    const last = async ({ runtime, run }: Forest): Promise<unknown> =>
      (await runtime.history(run.id)).records.slice(-4).map(({ writes, more }) => [writes, more?.note])
    expect(await last(debugged)).toEqual(await last(plain))
  })
})

interface Board {
  readonly blackboard: { set(key: string, value: unknown): void }
}
