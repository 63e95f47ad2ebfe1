import { describe, expect, test } from 'vitest'
import { type Json, type Kind, replay } from '../../../../src/kernel/index.ts'
import type { Port } from '../../../../src/kernel/ports/port.ts'
import type { NodeSource, TreeSource } from '../../../../src/kinds/tree/model/source.ts'
import { type Forest, forest, leaf, n } from '../tick/tree-world.ts'

const SCRIPTS = { a: ['S'], b: ['S'], c: ['S'] } as const
const nap = (ms = 1000): NodeSource => n('wait', { id: 'nap', wait_ms: ms })
const sequence = (...children: NodeSource[]): NodeSource => n('sequence', { id: 'root' }, children)

/** Registers another version of a tree, and returns its hash. */
function version({ runtime }: Forest, root: NodeSource, tree: Partial<TreeSource> = {}): string {
  const source = { format: 1, id: 'main', root, board: {}, ...tree }
  return runtime.programs.add('tree', source.id, source as unknown as Json).hash
}

function swapTo(tree: Forest, hash: string, more: { readonly [key: string]: Json } = {}): Promise<void> {
  return tree.command({ do: 'reload', reload: { hash, ...more } })
}

const typesOf = (tree: Forest): string[] => tree.events.map(([type]) => type).filter((type) => /^tree\.(reload|cancelled)/.test(type))

async function checkReplay({ runtime, run }: Forest): Promise<void> {
  const { records } = await runtime.history(run.id)
  expect(replay(records, runtime.programs).difference).toBeUndefined()
}

describe('a reload', () => {
  // proves: tree 41
  test('waits for the end of the execution, which finishes with the old tree', async () => {
    const tree = await forest(sequence(nap(), leaf('a')), { stays: true, scripts: SCRIPTS })
    await swapTo(tree, version(tree, sequence(leaf('b'))))
    expect([typesOf(tree), tree.get('_reload')]).toEqual([
      ['tree.reload.queued'],
      expect.objectContaining({ policy: 'let_finish_then_swap' }),
    ])
    await tree.pass(1000)
    expect([tree.calls, typesOf(tree), tree.get('_reload')]).toEqual([['a'], ['tree.reload.queued', 'tree.reloaded'], undefined])
    await tree.event('go')
    expect(tree.calls).toEqual(['a', 'b'])
    await checkReplay(tree)
  })

  // proves: tree 42
  test('that comes while another one waits replaces it', async () => {
    const tree = await forest(sequence(nap(), leaf('a')), { stays: true, scripts: SCRIPTS })
    await swapTo(tree, version(tree, sequence(leaf('b'))))
    await swapTo(tree, version(tree, sequence(leaf('c'))))
    await tree.pass(1000)
    await tree.event('go')
    expect([tree.calls, typesOf(tree).filter((type) => type === 'tree.reloaded')]).toEqual([['a', 'c'], ['tree.reloaded']])
  })

  test('of a tree that rests is done at once, and says what has changed', async () => {
    const tree = await forest(sequence(leaf('a'), n('wait', { id: 'nap', wait_ms: 1 })), { stays: true, scripts: SCRIPTS })
    await tree.pass(1)
    await swapTo(tree, version(tree, sequence(leaf('b'), n('wait', { id: 'nap', wait_ms: 2 }))))
    const { records } = await tree.runtime.history(tree.run.id)
    expect(records.at(-1)?.more?.note).toMatchObject({
      reload: { added: ['b'], removed: ['a'], changed: ['root', 'nap'] },
    })
    await checkReplay(tree)
  })

  // proves: tree 43
  test('that cancels waits five seconds at most for a called program that does not end', async () => {
    const late: Kind = {
      name: 'late',
      rev: 1,
      cancels: true,
      compile: () => ({}),
      step(x, input) {
        if (input === undefined) x.wait('message', 'never')
        else x.note('it does not end')
      },
    }
    const call = n('call', { id: 'call', program: 'late:late' })
    const tree = await forest(sequence(call), { stays: true, scripts: SCRIPTS, kinds: [late] })
    await swapTo(tree, version(tree, sequence(leaf('b'))), { policy: 'cancel-and-restart' })
    await tree.pass(4999)
    expect([typesOf(tree).includes('tree.reloaded'), tree.calls]).toEqual([false, []])
    await tree.pass(1)
    expect([typesOf(tree).includes('tree.reloaded'), tree.calls]).toEqual([true, ['b']])
    await checkReplay(tree)
  })

  // proves: tree 43
  test('that cancels stops what is on its way, and begins again with the event', async () => {
    const signals: AbortSignal[] = []
    const model: Port = {
      leaves: false,
      repeat: 'free',
      perform: ({ signal }) => (signals.push(signal) === 1 ? Promise.resolve({ text: 'hi' }) : new Promise(() => undefined)),
    }
    const ask = n('llm_call', { id: 'ask', prompt_template: 'hello', response_key: 'reply' })
    const tree = await forest(sequence(leaf('a'), ask), { stays: true, scripts: SCRIPTS, ports: { model }, tree: { board: { reply: {} } } })
    await tree.run.message('event', 'go')
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    await swapTo(tree, version(tree, sequence(leaf('b'))), { policy: 'cancel-and-restart' })
    expect([signals.map(({ aborted }) => aborted), tree.calls]).toEqual([
      [false, true],
      ['a', 'a', 'b'],
    ])
    expect(typesOf(tree)).toEqual(['tree.reload.queued', 'tree.cancelled', 'tree.reload.dropped', 'tree.reloaded'])
    expect(tree.events.find(([type]) => type === 'tree.cancelled')?.[1]).toMatchObject({ reason: 'reload', async_operations_cancelled: 1 })
    await checkReplay(tree)
  })

  // proves: tree 44
  test('that cancels makes RUNNING nodes FAILURE, with a reason', async () => {
    const tree = await forest(sequence(nap(), leaf('a')), { stays: true, scripts: SCRIPTS })
    const statuses: unknown[] = []
    tree.run.observe(() => statuses.push(tree.states(), tree.get('_failure_reason')))
    await swapTo(tree, version(tree, sequence(nap(5), leaf('b'))), { policy: 'cancel_and_restart' })
    expect([statuses[0], statuses[1], tree.states()]).toEqual([
      { root: 'FAILURE', nap: 'FAILURE', a: 'FRESH' },
      expect.stringContaining('reload'),
      { root: 'RUNNING', nap: 'RUNNING', a: 'FRESH' },
    ])
  })

  test('that cancels stops the programs which the tree has called', async () => {
    const child: TreeSource = { format: 1, id: 'child', root: nap(60_000) }
    const tree = await forest(sequence(n('call', { id: 'call', program: 'tree:child' })), { stays: true, scripts: SCRIPTS, trees: [child] })
    await swapTo(tree, version(tree, sequence(leaf('b'))), { policy: 'cancel_and_restart' })
    expect([tree.calls, tree.run.state.frames.size, tree.get('_reload')]).toEqual([['b'], 1, undefined])
    await checkReplay(tree)
  })

  // proves: tree 45
  test('has no immediate policy', async () => {
    const tree = await forest(sequence(nap()), { stays: true })
    await swapTo(tree, version(tree, sequence(leaf('a'))), { policy: 'immediate' })
    const refused = tree.events.find(([type]) => type === 'tree.debug.refused')?.[1]
    expect([refused?.code, tree.get('_reload')]).toEqual(['R1217', undefined])
  })

  test('of a program that is not registered leaves the old tree as it is', async () => {
    const tree = await forest(sequence(nap(), leaf('a')), { stays: true, scripts: SCRIPTS })
    await swapTo(tree, '0123456789abcdef')
    await tree.pass(1000)
    expect([tree.calls, typesOf(tree)]).toEqual([['a'], ['tree.reload.failed']])
  })

  // proves: tree 48, tree UB-08
  test('never swaps inside a tick that waits for its leaf', async () => {
    let answer: ((value: string) => void) | undefined
    let calls = 0
    const functions = {
      slow: { reads: true as const, run: () => (calls++ === 0 ? 'SUCCESS' : new Promise((resolve) => (answer = resolve))) },
    }
    const tree = await forest(sequence(leaf('slow'), leaf('a')), { stays: true, scripts: SCRIPTS, functions: functions as never })
    await tree.run.message('event', 'go')
    await tree.run.command(0, { do: 'reload', reload: { hash: version(tree, sequence(leaf('b'))) } })
    expect([tree.calls, tree.get('_reload') !== undefined]).toEqual([['a'], true])
    answer?.('SUCCESS')
    await tree.pass(0)
    await tree.event('go')
    expect(tree.calls).toEqual(['a', 'a', 'b'])
    await checkReplay(tree)
  })

  // proves: tree 49
  test('keeps values with the same schema, and drops others with a warning', async () => {
    const board = { kept: { type: 'int', default: 1 }, changed: { type: 'int', default: 2 }, gone: { type: 'int', default: 3 } }
    const tree = await forest(sequence(leaf('a')), { stays: true, scripts: SCRIPTS, tree: { board } })
    await swapTo(
      tree,
      version(tree, sequence(leaf('b')), {
        board: { kept: { type: 'int', default: 9 }, changed: { type: 'string' }, fresh: { default: 'x' } },
      }),
    )
    expect(['kept', 'changed', 'gone', 'fresh'].map((key) => tree.get(key))).toEqual([1, undefined, undefined, 'x'])
    expect(tree.events.filter(([type]) => type === 'tree.reload.dropped').map(([, { key }]) => key)).toEqual(['changed', 'gone'])
    await checkReplay(tree)
  })

  // proves: tree 33
  test('ends the token of a tree that has yielded', async () => {
    const tree = await forest(sequence(n('repeater', { id: 'again', times: 9 }, [leaf('a')])), {
      stays: true,
      scripts: SCRIPTS,
      tree: { tick_budget: 3, board: {} },
    })
    const token = tree.get('_resume_token') ?? null
    expect(typeof token).toBe('string')
    await swapTo(tree, version(tree, sequence(leaf('b'))), { policy: 'cancel_and_restart' })
    expect([tree.get('_resume_token'), tree.run.state.waits.size]).toEqual([undefined, 3])
  })

  test('carries cooldowns and breakpoints of equal path and type', async () => {
    const cool = (child: NodeSource): NodeSource => n('cooldown', { id: 'cool', cooldown_ms: 60_000 }, [child])
    const tree = await forest(sequence(cool(leaf('a'))), { stays: true, scripts: SCRIPTS })
    for (const command of ['break a', 'break cool when never']) await tree.command(command)
    await swapTo(tree, version(tree, sequence(leaf('c'), cool(leaf('b')))))
    expect(Object.keys((tree.get('_debug') as { readonly breaks: object }).breaks)).toEqual(['cool'])
    await tree.event('go')
    expect([tree.calls, tree.get('_failure_reason')]).toEqual([['a', 'c'], expect.stringContaining('cools down')])
    await checkReplay(tree)
  })

  test('counts for a tree to which it refers, too', async () => {
    const sub = (child: NodeSource): TreeSource => ({ format: 1, id: 'sub', root: n('sequence', { id: 'top' }, [child]) })
    const root = sequence(n('subtree_ref', { id: 'ref', tree_name: 'sub' }))
    const tree = await forest(root, { stays: true, scripts: SCRIPTS, trees: [sub(leaf('a'))] })
    const own = tree.runtime.programs.find('tree:main')?.hash ?? ''
    await swapTo(tree, own, { trees: { 'tree:sub': tree.runtime.programs.add('tree', 'sub', sub(leaf('b')) as unknown as Json).hash } })
    await tree.event('go')
    expect(tree.calls).toEqual(['a', 'b'])
    const { records } = await tree.runtime.history(tree.run.id)
    expect(records.flatMap(({ more }) => (more?.note as { readonly reload?: Json } | undefined)?.reload ?? [])).toEqual([
      { added: ['ref/b'], removed: ['ref/a'], changed: ['ref/top'] },
    ])
    await checkReplay(tree)
  })
})
