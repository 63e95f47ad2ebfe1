import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { type Forest, forest, type ForestOptions, leaf, n } from '../tick/tree-world.ts'
import { eventTypes, luaPorts, payloads, until } from './leaf-world.ts'

const ports = luaPorts()

async function script(code: string, options: ForestOptions = {}, params: JsonObject = {}): Promise<Forest> {
  const tree = await forest(n('script', { id: 's', code, ...params }), { ports, ...options })
  await until(() => tree.run.state.root.pendingEffects.length === 0)
  await tree.run.idle()
  return tree
}

describe('scripts', () => {
  // proves: tree 15, tree UB-03
  test('an error has its message, traceback and line on the blackboard', async () => {
    const tree = await script('local a = 1\nlocal b = 2\nerror("x")', { tree: { file: 'main.lua' } })
    expect([tree.run.status, tree.get('_last_script_error')]).toMatchObject([
      'failed',
      {
        message: expect.stringContaining('x') as string,
        line: 3,
        traceback: expect.stringMatching(/traceback:?\n.*main\.lua:3/s) as string,
      },
    ])
  })

  // proves: tree 16
  test('an access to nil names the file and its line', async () => {
    const root = n('sequence', {}, [{ ...n('script', { id: 's', code: '\nlocal t = nil\nreturn t.x' }), line: 10 }])
    const tree = await forest(root, { ports, tree: { file: 'trees/main.lua' } })
    await until(() => tree.run.status === 'failed')
    expect(tree.get('_last_script_error')).toMatchObject({ message: expect.stringMatching(/main\.lua:12.*nil/s) as string, line: 12 })
  })

  // proves: tree 17
  test('an error is one event of high priority with the traceback', async () => {
    const tree = await script('error("x")')
    expect(payloads(tree, 'script.error')).toMatchObject([
      { node_id: 's', severity: 'error', priority: 'high', error_code: 'E5002', lua_traceback: expect.any(String) as string },
    ])
  })

  // proves: tree 18
  test('an intended failure has a reason and no event', async () => {
    const tree = await script('return { status = "failure", reason = "not today" }')
    expect([tree.run.status, tree.get('_failure_reason'), tree.get('_last_script_error')]).toEqual(['failed', 'not today', undefined])
    expect(eventTypes(tree)).not.toContain('script.error')
  })

  test('a thrown table has a readable message', async () => {
    const tree = await script('error({ code = 1 })')
    expect((tree.get('_last_script_error') as JsonObject).message).toMatch(/code/)
  })

  // proves: tree 20
  test('writes before an error are dropped, and writes of a normal end count', async () => {
    const tree: ForestOptions = { tree: { board: { a: {}, b: {}, c: {} } } }
    const thrown = await script('bb.set("a", 1) error("x")', tree)
    const normal = await script('bb.set("a", 1) return { blackboard = { b = 2 }, c = 3, unknown = 4 }', tree)
    expect(thrown.get('a')).toBe(undefined)
    expect([normal.run.status, normal.get('a'), normal.get('b'), normal.get('c')]).toEqual(['completed', 1, 2, 3])
  })

  test('a returned value that does not fit is refused alone, and the node fails', async () => {
    const tree = await script('return { blackboard = { a = "x", b = 2 } }', { tree: { board: { a: { type: 'int' }, b: {} } } })
    expect([tree.run.status, tree.get('a'), tree.get('b')]).toEqual(['failed', undefined, 2])
    expect(payloads(tree, 'blackboard.validation.failed')).toMatchObject([{ key: 'a', error_code: 'E1002' }])
  })

  // proves: tree 73
  test('reserved keys cannot be written', async () => {
    const returned = await script('return { _x = 1 }')
    const written = await script('bb.set("_x", 1)')
    expect([returned, written].map((tree) => [tree.run.status, tree.get('_x')])).toEqual([
      ['failed', undefined],
      ['failed', undefined],
    ])
    expect(payloads(returned, 'blackboard.key.reserved')).toHaveLength(1)
  })

  test('a script reads the blackboard in all spellings, and its context', async () => {
    const code = `local key = "na" .. "me"
      bb.set("out", { bb.name, bb.get(key), blackboard.get("name"), ctx.bb.name, ctx.node_id, ctx.tree_id, ctx.tick_count })`
    const tree = await script(code, { input: { name: 'ana' }, tree: { board: { out: {}, name: {} } } })
    expect(tree.get('out')).toEqual(['ana', 'ana', 'ana', 'ana', 's', 'main', 1])
  })

  test('a script that waits for an event is run again when the event names its operation', async () => {
    const code = `if ctx.event and ctx.event.async_id == "job" then return { status = "success", blackboard = { done = ctx.event.value } } end
      return { status = "running", async_id = "job" }`
    const tree = await forest(n('script', { id: 's', code }), { ports, tree: { board: { done: {} } } })
    await until(() => tree.states().s === 'RUNNING')
    await tree.event({ async_id: 'other' })
    expect(tree.states().s).toBe('RUNNING')
    await tree.event({ async_id: 'job', value: 7 })
    await until(() => tree.run.status === 'completed')
    expect(tree.get('done')).toBe(7)
  })

  test('a condition in Lua is evaluated by the worker', async () => {
    const condition = 'local n = 0; for i = 1, 3 do n = n + i end; return n == 6'
    const tree = await forest(n('condition', { id: 'c', condition }), { ports })
    await until(() => tree.run.status !== 'running')
    expect(tree.run.status).toBe('completed')
  })

  test('a blocked name is a critical event', async () => {
    const tree = await script('pcall(function() os.execute("x") end)')
    expect(payloads(tree, 'security.sandbox.violation')).toMatchObject([{ severity: 'critical', error_code: 'E7001' }])
  })

  test('a loop without an end is stopped, and the run survives it', async () => {
    const root = n('selector', {}, [n('script', { id: 's', code: 'while true do end', timeout_ms: 5 }), leaf('ok')])
    const tree = await forest(root, { ports, scripts: { ok: ['S'] } })
    await until(() => tree.run.status !== 'running')
    expect([tree.run.status, eventTypes(tree)]).toEqual(['completed', expect.arrayContaining(['script.timeout'])])
  })
})

describe('the rate of scripts', () => {
  // proves: tree 64, tree SEC-02
  test('the eleventh script of a user within a second waits, and another user does not', async () => {
    const children = Array.from({ length: 11 }, (_, i) => n('script', { id: `s${i}`, code: 'return true' }))
    const tree = await forest(n('sequence', {}, children), { ports })
    await until(() => tree.states().s10 === 'RUNNING')
    expect(payloads(tree, 'security.rate.exceeded')).toMatchObject([{ node_id: 's10', limit: 10 }])
    await tree.pass(999)
    expect(tree.states().s10).toBe('RUNNING')
    await tree.pass(1)
    await until(() => tree.run.status === 'completed')
  })
})
