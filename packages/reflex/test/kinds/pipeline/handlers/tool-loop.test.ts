import { describe, expect, test } from 'vitest'
import { Fault, isObject, type JsonObject, type Port } from '../../../../src/kernel/index.ts'
import { encodeRecord } from '../../../../src/kernel/journal/codec.ts'
import { renderText } from '../../../../src/kinds/pipeline/language/render.ts'
import { namedArguments, path } from '../../../../src/tools/arguments.ts'
import { told } from '../engine/harness.ts'
import { calls, model, run, tool, toolPorts } from './llm.ts'

const add = tool('math.add', ({ a, b }) => Number(a) + Number(b))
const busy = (): Fault => new Fault('R4010', 'overloaded', 'retry')
const node = (more = '') => `n [prompt="add", use_tools=true, tools="math.add" ${more}] start -> n -> done`

describe('a tool loop', () => {
  // proves: pipeline 4.3.1f
  test('offers the tools, calls them, gives back what they say, and ends with the answer', async () => {
    const { port, requests } = model((_, n) => (n === 0 ? calls(['math_add', { a: 1, b: 2 }]) : 'it is 3'))
    const went = await run(node(), port, { ports: toolPorts([add]) })
    expect(requests[0]?.tools).toEqual([{ name: 'math_add', description: 'does math.add', schema: { type: 'object' } }])
    expect(requests[1]?.messages.slice(-2)).toEqual([
      { role: 'assistant', calls: [{ id: 'call_1', name: 'math_add', args: { a: 1, b: 2 } }] },
      { role: 'tool', call: 'call_1', name: 'math_add', result: 3 },
    ])
    expect(went.context).toMatchObject({
      last_response: 'it is 3',
      'llm.response_type': 'text',
      'llm.tokens_used': 30,
      'llm.tool_calls': [{ id: 'call_1', name: 'math_add', args: { a: 1, b: 2 } }],
      'session.usage': { input: 20, output: 10, turns: 2 },
    })
    expect(told(went, 'tool_call')).toEqual([
      { node_id: 'n', number: '1.1', tool: 'math_add', tool_call_id: 'call_1', arguments: { a: 1, b: 2 }, ok: true, result: 3 },
    ])
  })

  test('a schema that a tool tells is offered', async () => {
    const { port, requests } = model(() => 'no need')
    const read = { ...tool('file.read', () => ''), input: namedArguments({ path: path() }) }
    await run('n [use_tools=true, tools="file_read"] start -> n -> done', port, { ports: toolPorts([read]) })
    expect(requests[0]?.tools?.[0]).toMatchObject({
      name: 'file_read',
      schema: { type: 'object', properties: { path: { type: 'string', description: 'a path' } }, additionalProperties: false },
    })
  })

  test('without names it offers all that the run may call', async () => {
    const { port, requests } = model(() => 'no need')
    const ports = toolPorts([add, tool('a', () => 1), tool('b', () => 2)], ['a'])
    await run('n [use_tools=true] start -> n -> done', port, { ports })
    expect(requests[0]?.tools?.map(({ name }) => name)).toEqual(['math_add', 'b'])
  })

  // proves: pipeline 4.3.1i, pipeline 4.3.1f
  test('what goes wrong with a call is told to the model, and the others of its turn are made', async () => {
    const bad = tool('bad', () => {
      throw new Error('out of order')
    })
    const { port, requests } = model((_, n) => {
      if (n > 0) return 'I see'
      const { calls: made = [] } = calls(['nope', {}], ['bad', {}], ['secret', {}], ['math_add', { a: 2, b: 2 }], ['math_add', {}])
      return { calls: made.map((call, i) => (i === 4 ? { ...call, invalid: '{"a":' } : call)) }
    })
    const ports = toolPorts([add, bad, tool('secret', () => 'the key')], ['secret'])
    const went = await run('n [use_tools=true, tools="math.add,bad,secret,gone"] start -> n -> done', port, { ports })
    const results = requests[1]?.messages.flatMap((message) =>
      message.role === 'tool' ? [[message.failed === true, renderText(message.result)]] : [],
    )
    expect(results).toEqual([
      [true, expect.stringContaining('there is no tool "nope"')],
      [true, expect.stringContaining('out of order')],
      [true, expect.stringContaining('arbor://tool/secret')],
      [false, '4'],
      [true, expect.stringContaining('not a JSON object')],
    ])
    expect(went.status).toBe('success')
    expect(told(went, 'tool_unknown')).toEqual([{ node_id: 'n', tool: 'gone' }])
    const effects = went.run.records.flatMap((record) => record.requests ?? []).filter(([port]) => port === 'tool')
    expect(effects).toHaveLength(3)
  })

  // proves: pipeline 4.3.1g
  test('a terminal tool ends it with its result; one that failed does not', async () => {
    let tries = 0
    const submit = tool('submit', ({ answer }) => {
      if (tries++ === 0) throw new Error('not yet')
      return { answer: answer ?? null }
    })
    const { port, requests } = model(() => calls(['submit', { answer: 42 }]))
    const { context } = await run('n [use_tools=true, tools="submit", terminal_tools="submit", output_key="o"] start -> n -> done', port, {
      ports: toolPorts([submit]),
    })
    expect([requests.length, context['o'], context['last_response'], context['llm.response_type']]).toEqual([
      2,
      { answer: 42 },
      '{"answer":42}',
      'tool_call',
    ])
  })

  // proves: pipeline 4.3.1h
  test('a model that never answers fails its node after its turns', async () => {
    const { port, requests } = model(() => calls(['math_add', { a: 1, b: 1 }]))
    const went = await run(node(', max_turns=3'), port, { ports: toolPorts([add]) })
    expect([went.status, requests.length, went.context['last_response']]).toEqual(['failed', 3, null])
    expect(went.reason).toContain('3 turns')
    expect((await run(node(', max_turns=9999'), port, { ports: toolPorts([add]) })).reason).toContain('max_turns')
  })

  test('forty turns stay cheap', async () => {
    const { port, requests } = model((_, n) => (n < 40 ? calls(['math_add', { a: n, b: 1 }]) : 'done'))
    const went = await run(node(', max_turns=50'), port, { ports: toolPorts([add]) })
    expect([went.status, requests.length]).toEqual(['success', 41])
    // One record for each answer of the model and for each result.
    expect(went.run.records.length).toBeLessThan(100)
  })

  test('sixty turns with large results need little more space than their content', async () => {
    const page = tool('page', ({ n }) => `${Number(n)} `.repeat(49_000).slice(0, 49_000))
    const { port, requests } = model((_, n) => (n < 59 ? calls(['page', { n }]) : 'done'))
    const went = await run('n [prompt="read", use_tools=true, tools="page", max_turns=60] start -> n -> done', port, {
      ports: toolPorts([page]),
    })
    expect([went.status, requests.length, requests.at(-1)?.messages.length]).toEqual(['success', 60, 1 + 2 * 59])
    const stored = went.run.records.reduce((all, record) => all + encodeRecord(record).text.length, 0)
    const content = JSON.stringify(requests.at(-1)).length
    expect(content).toBeGreaterThan(59 * 49_000)
    expect(stored).toBeLessThan(1.3 * content)
  })

  test('a further attempt continues after the last good turn, with its results', async () => {
    const done: number[] = []
    const pay = tool('pay', ({ n }) => done.push(Number(n)))
    const { port, requests } = model((_, n) => {
      if (n === 2) return busy()
      return n < 4 ? calls(['pay', { n }]) : 'paid'
    })
    const went = await run('n [use_tools=true, tools="pay", max_retries=1] start -> n -> done', port, { ports: toolPorts([pay]) })
    expect([went.status, done]).toEqual(['success', [0, 1, 3]])
    expect(requests[3]).toEqual(requests[2])
    expect(went.context).toMatchObject({ 'session.usage': { turns: 4 } })
  })

  test('what a request of a provider can never do is not tried again', async () => {
    const { port, requests } = model((_, n) => (n === 0 ? calls(['math_add', { a: 1, b: 1 }]) : new Fault('R4007', 'refused', 'fail')))
    const went = await run(node(', max_retries=3'), port, { ports: toolPorts([add]) })
    expect([went.status, requests.length]).toEqual(['failed', 2])
  })

  test('a further attempt has the full number of turns, and calls nothing twice', async () => {
    const done: number[] = []
    const pay = tool('pay', ({ n }) => done.push(Number(n)))
    const { port } = model((_, n) => (n < 3 ? calls(['pay', { n }]) : 'paid'))
    const went = await run('n [use_tools=true, tools="pay", max_turns=2, max_retries=1] start -> n -> done', port, {
      ports: toolPorts([pay]),
    })
    expect([went.status, done]).toEqual(['success', [0, 1, 2]])
  })

  test('a tool that outlasts the time of its node is not called again: the model gets an error for it', async () => {
    let called = 0
    const { port, requests } = model((_, n) => (n === 0 ? calls(['math_add', { a: 1, b: 1 }], ['math_add', { a: 2, b: 2 }]) : 'I see'))
    const slow: Port = {
      leaves: false,
      repeat: 'free',
      perform: () => (called++ === 0 ? 2 : new Promise(() => undefined)),
    }
    const went = await run(node(', timeout="3s", max_retries=1'), port, { ports: { ...toolPorts([add]), tool: slow } })
    expect([went.status, called]).toEqual(['success', 2])
    expect(requests[1]?.messages.slice(-2)).toEqual([
      { role: 'tool', call: 'call_1', name: 'math_add', result: 2 },
      { role: 'tool', call: 'call_2', name: 'math_add', failed: true, result: expect.stringContaining('may have taken effect') as string },
    ])
  })

  test('several calls of a turn are in flight at once', async () => {
    let running = 0
    let most = 0
    const slow: Port = {
      leaves: false,
      repeat: 'free',
      async perform() {
        most = Math.max(most, ++running)
        await Promise.resolve()
        running--
        return 'ok'
      },
    }
    const { port } = model((_, n) => (n === 0 ? calls(['math_add', {}], ['math_add', {}], ['math_add', {}]) : 'done'))
    await run(node(), port, { ports: { ...toolPorts([add]), tool: slow } })
    expect(most).toBe(3)
  })
})

describe('hooks of tools', () => {
  const HOOKS = 'tool_hooks.pre="check.sh", tool_hooks.post="log.sh"'

  /** Tools and a shell that answers with a code by the command and the tool that it is told of. */
  function hooked(code: (command: string, name: string) => number): { readonly ports: Record<string, Port>; readonly ran: JsonObject[] } {
    const ran: JsonObject[] = []
    const shell = tool('shell', (args) => {
      ran.push(args)
      const environment = isObject(args['environment']) ? args['environment'] : {}
      return { code: code(renderText(args['command']), renderText(environment['TOOL_NAME'])), stdout: '', stderr: '' }
    })
    return { ports: toolPorts([add, tool('rm', () => 'removed'), shell]), ran }
  }

  // proves: pipeline 10.3c, pipeline 10.2d
  test('a hook that says no skips the call, and the model is told', async () => {
    const { ports, ran } = hooked((command, name) => (command === 'check.sh' && name === 'rm' ? 1 : 0))
    const { port, requests } = model((_, n) => (n === 0 ? calls(['rm', { all: true }], ['math_add', { a: 1, b: 1 }]) : 'done'))
    const went = await run(`n [use_tools=true, tools="rm,math.add", ${HOOKS}] start -> n -> done`, port, { ports })
    expect(requests[1]?.messages.slice(-2)).toEqual([
      { role: 'tool', call: 'call_1', name: 'rm', result: 'skipped by hook', failed: true },
      { role: 'tool', call: 'call_2', name: 'math_add', result: 2 },
    ])
    expect(ran.map(({ command, environment }) => [command, isObject(environment) ? environment['TOOL_CALL_ID'] : ''])).toEqual([
      ['check.sh', 'call_1'],
      ['check.sh', 'call_2'],
      ['log.sh', 'call_2'],
    ])
    const { environment, stdin } = ran[2] ?? {}
    const payload = { phase: 'post', tool_name: 'math.add', tool_call_id: 'call_2', node_id: 'n', arguments: { a: 1, b: 1 }, result: 2 }
    expect(JSON.parse(renderText(stdin))).toEqual(payload)
    expect(environment).toMatchObject({ TOOL_NAME: 'math.add', TOOL_HOOK_PHASE: 'post' })
    expect(JSON.parse(isObject(environment) ? renderText(environment['TOOL_HOOK_PAYLOAD']) : '')).toEqual(payload)
    expect(told(went, 'tool_hook_pre').map(({ tool, result }) => [tool, result])).toEqual([
      ['rm', 'skip'],
      ['math.add', 'ok'],
    ])
    expect(told(went, 'tool_hook_post')).toHaveLength(1)
  })

  test('the graph has hooks for nodes without, and a tool node that is skipped counts as skipped', async () => {
    const { ports, ran } = hooked(() => 3)
    const { port } = model(() => 'never')
    const went = await run(
      't [shape=parallelogram, tool_command="deploy"] start -> t -> done',
      port,
      { ports },
      'tool_hooks.pre="check.sh"',
    )
    expect(ran.map(({ command }) => command)).toEqual(['check.sh'])
    expect(told(went, 'stage_completed').find(({ node_id }) => node_id === 't')).toMatchObject({ status: 'skipped' })
  })

  test('a hook that cannot be run keeps the call from being made; after the call it changes nothing', async () => {
    const { port, requests } = model((_, n) => (n === 0 ? calls(['math_add', { a: 1, b: 1 }]) : 'done'))
    await run(`n [use_tools=true, tools="math.add", tool_hooks.pre="check.sh"] start -> n -> done`, port, { ports: toolPorts([add]) })
    expect(requests[1]?.messages.at(-1)).toMatchObject({ failed: true, result: 'skipped by hook' })
    const after = model((_, n) => (n === 0 ? calls(['math_add', { a: 1, b: 1 }]) : 'done'))
    await run(`n [use_tools=true, tools="math.add", tool_hooks.post="log.sh"] start -> n -> done`, after.port, { ports: toolPorts([add]) })
    expect(after.requests[1]?.messages.at(-1)).toMatchObject({ result: 2 })
  })
})
