import { describe, expect, it, test } from 'vitest'
import { isObject, type Json, type JsonObject, type Port } from '../../../../src/kernel/index.ts'
import { faults } from '../../../../src/tools/index.ts'
import { runDot, told, type Went, type World } from '../engine/harness.ts'

/** A tool that gives the same for every call, and what it was called with. */
function toolGiving(result: JsonObject | (() => never)): { readonly port: Port; readonly calls: JsonObject[] } {
  const calls: JsonObject[] = []
  const port: Port = {
    leaves: true,
    repeat: 'keyed',
    perform({ args }) {
      calls.push(args as JsonObject)
      return typeof result === 'function' ? result() : { stdout: '', stderr: '', ...result }
    },
  }
  return { port, calls }
}

/** Runs one node and what comes after it: `bad` where it fails. */
function node(text: string, port: Port, world: World = {}): Promise<Went> {
  const dot = `digraph g { start [shape=Mdiamond] done [shape=Msquare] bad [type=branch] n [${text}]
    start -> n n -> done [condition="outcome=success"] n -> bad [condition="outcome=fail"] bad -> done }`
  return runDot(dot, { ...world, ports: { tool: port, ...world.ports } })
}

const argsOf = (calls: readonly JsonObject[]): JsonObject => (calls[0]?.['args'] ?? {}) as JsonObject

describe('a command', () => {
  // proves: pipeline 4.5e
  it('is called with its own text, in its folder, with a stage and a time', async () => {
    const { port, calls } = toolGiving({ code: 0 })
    await node('type=shell, command="make $target | tee log", cwd="sub", on_resume=repeat, sandbox=strict, timeout="5s"', port)
    const call = calls[0] ?? {}
    expect({ ...call, args: { ...argsOf(calls), stage: '' } }).toEqual({
      tool: 'shell',
      on_resume: 'repeat',
      args: { command: 'make $target | tee log', cwd: 'sub', stage: '', whole: true, timeout: 5000, environment: {}, sandbox: 'strict' },
    })
    expect(argsOf(calls)['stage']).toMatch(/^\/runs\/.+\/n$/)
  })

  it('is what its graph says of it after a crash, where it says nothing itself', async () => {
    const { port, calls } = toolGiving({ code: 0 })
    const dot =
      'digraph g { on_resume=repeat; start -> n -> done; start [shape=Mdiamond]; n [tool_command="x", type=tool]; done [shape=Msquare] }'
    await runDot(dot, { ports: { tool: port } })
    expect(calls[0]).toMatchObject({ on_resume: 'repeat' })
  })

  // proves: pipeline 4.5e, pipeline 4.5f
  it('gets as variables the values that it names, and those that are listed', async () => {
    const { port, calls } = toolGiving({ code: 0 })
    const values = {
      title: '"; rm -rf /',
      n: 3,
      flag: true,
      list: [1],
      PATH: '/evil',
      HOME: '/evil',
      other: 'no',
      'exec.read.diff': 'd',
      odd: { a: 1 },
    }
    const command = 'echo \\"$title\\" ${n:-0} $flag $list $PATH $HOME $missing $odd'
    await node(`type=shell, command="${command}", env_keys="exec.read.diff, list"`, port, { values })
    expect(argsOf(calls)['environment']).toEqual({ title: '"; rm -rf /', n: '3', flag: 'true', diff: 'd', list: '[1]' })
    expect(argsOf(calls)['command']).toBe('echo "$title" ${n:-0} $flag $list $PATH $HOME $missing $odd')
  })

  it('fails before it runs where a value cannot be given', async () => {
    const { port, calls } = toolGiving({ code: 0 })
    const long = await node('type=shell, command="echo $big"', port, { values: { big: 'x'.repeat(40_000) } })
    expect(long.trail).toEqual(['start', 'n', 'bad', 'done'])
    const twice = await node('type=shell, command="true", env_keys="a.x, b.x"', port, { values: { 'a.x': 1, 'b.x': 2 } })
    expect(twice.trail).toContain('bad')
    expect(calls).toEqual([])
  })

  // proves: pipeline 4.5d, pipeline 2.6.41
  it('writes what it printed, as it is, and leaves last_response alone', async () => {
    const { port } = toolGiving({ code: 0, stdout: ' out\n', stderr: 'err' })
    const values = { last_response: 'of a model' }
    const shell = await node('type=shell, command="x", output_key="mine"', port, { values })
    expect(shell.context).toMatchObject({
      'shell.n.output': ' out\n',
      'shell.n.stderr': 'err',
      'shell.n.exit_code': 0,
      'shell.n.error': null,
      mine: ' out\n',
      last_response: 'of a model',
    })
    const tool = await node('type=tool, tool_command="x"', port, { values })
    expect(tool.context).toMatchObject({ 'tool.output': ' out\n', 'tool.stderr': 'err', 'tool.exit_code': 0, last_response: 'of a model' })
  })

  // proves: pipeline 4.5b
  it('fails with its code and what it said, and writes all the same', async () => {
    const { port } = toolGiving({ code: 3, stdout: 'half', stderr: 'e'.repeat(600) })
    const went = await node('type=tool, tool_command="x"', port)
    expect(went.trail).toContain('bad')
    expect(went.context).toMatchObject({ 'tool.output': 'half', 'tool.exit_code': 3 })
    expect(told(went, 'stage_failed')[0]?.['error']).toBe(`n exited with code 3: ${'e'.repeat(500)}`)
  })

  // proves: pipeline 4.5c
  it.each(['warn', 'continue'])('goes on after an error with on_error=%s', async (word) => {
    const { port } = toolGiving({ code: 3 })
    const went = await node(`type=shell, command="x", on_error=${word}`, port)
    expect(went.trail).toEqual(['start', 'n', 'done'])
    expect(went.context).toMatchObject({ 'shell.n.exit_code': 3, 'shell.n.error': 'n exited with code 3' })
    expect(went.remarks.some(([type]) => type === 'stage_warning')).toBe(word === 'warn')
  })

  it('is tried again when it fails, and not when it cannot be run', async () => {
    const failing = toolGiving({ code: 1 })
    await node('type=shell, command="x", max_retries=2', failing.port)
    expect(failing.calls).toHaveLength(3)
    const unable = toolGiving(() => {
      throw faults.make('R4133', 'bubblewrap is not installed')
    })
    const went = await node('type=shell, command="x", max_retries=2, on_error=continue', unable.port)
    expect(unable.calls).toHaveLength(1)
    expect(went.trail).toContain('bad')
    expect(went.context).toMatchObject({ 'shell.n.error': 'bubblewrap is not installed' })
  })

  it('tells that it ran with another sandbox than it asked for', async () => {
    const { port } = toolGiving({ code: 0, warning: 'sandbox none is ignored' })
    const went = await node('type=shell, command="x", sandbox=none', port)
    expect(went.remarks).toContainEqual(['sandbox', { node_id: 'n', warning: 'sandbox none is ignored' }])
  })

  it('fails without its command', async () => {
    const { port, calls } = toolGiving({ code: 0 })
    const went = await node('type=shell, command=" "', port)
    expect(told(went, 'stage_failed')[0]?.['error']).toBe('shell n: no command')
    expect(calls).toEqual([])
  })
})

describe('a status file', () => {
  const status = async (said: Json, text = 'type=shell, command="x"', code = 0): Promise<Went> =>
    node(text, toolGiving({ code, stdout: 'out', status_file: typeof said === 'string' ? said : JSON.stringify(said) }).port)

  // proves: pipeline 6.4b, pipeline 2.6.27
  it('goes before what the command came to, in either spelling', async () => {
    const good = await status({ outcome: 'SUCCESS', contextUpdates: { x: 1 }, notes: 'fine' }, undefined, 1)
    expect(good.trail).toEqual(['start', 'n', 'done'])
    expect(good.context).toMatchObject({ x: 1, 'shell.n.output': 'out' })
    expect((await status({ status: 'fail', failure_reason: 'says so' })).trail).toContain('bad')
  })

  it('writes no key that the engine keeps', async () => {
    const went = await status({ status: 'success', context_updates: { outcome: 'fail', 'graph.goal': 'x', y: 1 } })
    expect(went.context).toMatchObject({ y: 1 })
    expect(went.context).not.toHaveProperty(['graph.goal'])
  })

  // proves: pipeline 6.4c
  it.each([
    ['', 'it is not JSON'],
    ['{', 'it is not JSON'],
    ['[]', 'an object with a status'],
    ['{"status":"great"}', 'status is "great"; it is one of success,'],
    ['{"notes":"x"}', 'the field status is missing; it is one of success,'],
    ['{"status":"success","context_updates":5}', 'context_updates is 5; it is an object'],
  ])('fails the stage when it is %j, also with auto_status, and says what is allowed', async (text, says) => {
    const went = await status(text, 'type=shell, command="x", auto_status=true')
    expect(went.trail).toContain('bad')
    const error = told(went, 'stage_failed')[0]?.['error']
    expect(error).toMatch(/^invalid status file: /)
    expect(error).toContain(says)
  })

  it('of the engine is none of the command', async () => {
    expect((await status({ status: 'fail', written_by: 'engine' })).trail).toEqual(['start', 'n', 'done'])
  })
})

describe('an action', () => {
  const doing = (perform: (args: JsonObject) => Json): { readonly ports: Record<string, Port>; readonly calls: JsonObject[] } => {
    const calls: JsonObject[] = []
    const action: Port = {
      leaves: true,
      repeat: 'keyed',
      perform({ args }) {
        calls.push(args as JsonObject)
        return perform(args as JsonObject)
      },
    }
    return { ports: { action }, calls }
  }
  const none = toolGiving({ code: 0 }).port

  // proves: pipeline 4.5j, pipeline 4.5l, pipeline 4.5m
  it('gets what is written and what the context holds, by the last part of the key', async () => {
    const { ports, calls } = doing(() => ({ passed: false, count: 2 }))
    const values = { 'exec.a.workspace': 'w1', over: 'context' }
    const went = await node(
      'type=exec, target=action, action="crm.update", param.path="a", param.deep.key=1, arg.over="written", context_keys="exec.a.workspace, over, missing", output_prefix="out"',
      none,
      { ports, values },
    )
    expect(calls).toMatchObject([
      { action: 'crm_update', node: 'n', params: { path: 'a', 'deep.key': 1, over: 'context', workspace: 'w1' } },
    ])
    expect(went.trail).toEqual(['start', 'n', 'done'])
    expect(went.context).toMatchObject({
      'exec.n.result': '{"passed":false,"count":2}',
      'exec.n.passed': false,
      'exec.n.count': 2,
      'out.passed': false,
    })
    expect(went.remarks).toContainEqual(['parameter_missing', { node_id: 'n', key: 'missing', name: 'missing' }])
  })

  // proves: pipeline 3.11h
  it('gets the time that is left', async () => {
    const { ports, calls } = doing(() => null)
    const budget = 'timeout_budget.deadline_key=d, timeout_budget.cap_key=c, timeout_budget.reserve_key=r'
    await node(`type=exec, target=action, action=wait, ${budget}, timeout_budget.param=timeout`, none, {
      ports,
      values: { d: 9e15, c: 500, r: 10 },
    })
    expect(calls[0]?.['params']).toEqual({ timeout: 500 })
    expect((await node(`type=exec, target=action, action=wait, ${budget}`, none, { ports })).trail).toContain('bad')
  })

  it('fails where nothing knows it, where two keys would be one parameter, and as it says itself', async () => {
    const unknown = await node('type=exec, target=action, action="no.such"', none)
    expect(told(unknown, 'stage_failed')[0]?.['error']).toBe('n: unknown action "no_such"')
    const { ports, calls } = doing(() => null)
    const values = { 'a.x': 1, 'b.x': 2 }
    expect((await node('type=exec, target=action, action=x, context_keys="a.x,b.x"', none, { ports, values })).trail).toContain('bad')
    expect(calls).toEqual([])
    const throwing = doing(() => {
      throw new Error('no')
    })
    const text = 'type=exec, target=action, action=x'
    expect((await node(text, none, { ports: throwing.ports })).trail).toContain('bad')
    expect((await node(`${text}, on_error=continue`, none, { ports: throwing.ports })).trail).not.toContain('bad')
  })
})

describe('a function of the host', () => {
  // proves: pipeline 4.5n
  it('gives an outcome, and its updates as the result', async () => {
    const handlers = { add: { execute: () => ({ status: 'success' as const, context_updates: { sum: 3 } }) } }
    const went = await node('type=exec, target=function, function=add', toolGiving({ code: 0 }).port, { handlers })
    expect(went.context).toMatchObject({ sum: 3, 'exec.n.result': '{"sum":3}', 'exec.n.sum': 3 })
  })
})

// proves: pipeline 3.11f
test('a command has two minutes where its node says nothing', async () => {
  const limits = async (attributes: string): Promise<unknown[]> => {
    const given: unknown[] = []
    const tool: Port = {
      leaves: true,
      repeat: 'ask',
      perform({ args }) {
        given.push(isObject(args) && isObject(args['args']) ? args['args']['timeout'] : undefined)
        return { code: 0, stdout: '', stderr: '' }
      },
    }
    await runDot(`digraph g { start [shape=Mdiamond] a [${attributes}] done [shape=Msquare] start -> a -> done }`, { ports: { tool } })
    return given
  }
  expect(await limits('type=shell, command="make"')).toEqual([120_000])
  expect(await limits('type=tool, tool_command="make"')).toEqual([120_000])
  expect(await limits('type=shell, command="make", timeout="0"')).toEqual([120_000])
  expect(await limits('type=shell, command="make", timeout="5s"')).toEqual([5_000])
})
