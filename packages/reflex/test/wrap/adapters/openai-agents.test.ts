import { Agent, type FunctionTool, Runner, setTracingDisabled, tool } from '@openai/agents'
import { describe, expect, it } from 'vitest'
import { activate, life, propose, RELEASE } from '../session/world.ts'
import { ScriptedAgentsModel } from './agents-model.ts'
import { inTurn } from './script.ts'

setTracingDisabled(true)

function toolNamed(name: string, act: (args: Record<string, string>) => unknown, more: object = {}): FunctionTool {
  const made = tool({
    name,
    description: name,
    strict: false,
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
    execute: async (args) => act(args as Record<string, string>),
    ...more,
  })
  return made as unknown as FunctionTool
}

const runnerOf = (model: ScriptedAgentsModel): Runner => new Runner({ modelProvider: model.provider, tracingDisabled: true })

describe('an agent of the OpenAI Agents SDK', () => {
  it('is a run for each turn, whose calls have the names of its models', async () => {
    const { reflex, troubles } = life()
    const model = new ScriptedAgentsModel(inTurn({ call: 'weather', args: { city: 'Rome' } }, 'It is sunny.'))
    const cities: unknown[] = []
    const weather = toolNamed('weather', ({ city }) => cities.push(city))
    const agent = new Agent({ name: 'guide', instructions: 'Be brief.', model: 'gpt-test', tools: [weather] })
    const wrapped = reflex.wrap({ framework: 'openai-agents', agent, runner: runnerOf(model) })
    let run = ''
    const { finalOutput } = await wrapped.run('the weather?', { onStart: (id) => (run = id) })
    expect([finalOutput, cities]).toEqual(['It is sunny.', ['Rome']])
    expect(troubles.map(String)).toEqual([])
    const { program, value } = await reflex.find(run)
    expect([program[0], value]).toEqual(['turn:guide', { output: 'It is sunny.' }])
    const { state } = await reflex.runtime.peek(run)
    expect(JSON.stringify(state.root.reader().snapshot())).toContain('gpt-test')
    expect((await reflex.replay(run)).difference).toBeUndefined()
  })

  it('streams as its runner does, until the turn is over', async () => {
    const { reflex } = life()
    const model = new ScriptedAgentsModel(inTurn('It is sunny.'))
    const wrapped = reflex.wrap({ framework: 'openai-agents', agent: new Agent({ name: 'guide' }), runner: runnerOf(model) })
    let seen = ''
    for await (const event of await wrapped.stream('the weather?')) {
      const { data } = event as { readonly data?: { readonly type: string; readonly delta?: string } }
      if (data?.type === 'output_text_delta') seen += data.delta
    }
    expect(seen).toBe('It is sunny.')
    // The runner says that its stream is complete after the last event.
    await expect.poll(async () => (await reflex.runs()).map(({ status }) => status), { timeout: 20_000 }).toEqual(['completed'])
  })

  it('reaches agents that take over, and models that an agent has of its own', async () => {
    const { reflex, troubles } = life()
    const first = new ScriptedAgentsModel(inTurn({ call: 'transfer_to_second', args: {} }))
    const second = new ScriptedAgentsModel(inTurn({ call: 'look', args: { at: 'a' } }, 'seen'))
    const looks: unknown[] = []
    const other = new Agent({ name: 'second', model: second, tools: [toolNamed('look', ({ at }) => looks.push(at))] })
    const agent = new Agent({ name: 'first', handoffs: [other] })
    const wrapped = reflex.wrap({ framework: 'openai-agents', agent, runner: runnerOf(first), strictIntercept: true })
    let run = ''
    const { finalOutput } = await wrapped.run('go', { onStart: (id) => (run = id) })
    expect([finalOutput, looks]).toEqual(['seen', ['a']])
    expect(troubles.map(String)).toEqual([])
    const trace = JSON.stringify(await reflex.trace(run))
    expect([trace.split('the agent asks its model').length, trace.split('the agent calls a tool').length]).toEqual([4, 2])
    expect(Object.hasOwn(second, 'getResponse')).toBe(true)
    wrapped.unwrap()
    expect(Object.hasOwn(second, 'getResponse')).toBe(false)
  })

  it.each([
    ['is one call', {}, 2, 1],
    ['has calls of its own, if it says so', { agent: true }, 4, 1],
  ])('has an agent as a tool, which %s', async (_, says, asks, calls) => {
    const { reflex, troubles } = life()
    const model = new ScriptedAgentsModel((last, n) => {
      if (n === 1) return [{ call: 'ask_helper', args: { input: 'help' } }]
      if (n === 2) return [{ call: 'look', args: { at: 'a' } }]
      return [last.includes('helped') ? 'done' : 'helped']
    })
    const looks: unknown[] = []
    const look = toolNamed('look', ({ at }) => looks.push(at))
    const helper = new Agent({ name: 'helper', tools: [look] }).asTool({ toolName: 'ask_helper', toolDescription: 'Helps.' })
    const agent = new Agent({ name: 'boss', tools: [Object.assign(helper, says)] })
    const wrapped = reflex.wrap({ framework: 'openai-agents', agent, runner: runnerOf(model), tools: [look] })
    let run = ''
    expect((await wrapped.run('go', { onStart: (id) => (run = id) })).finalOutput).toBe('done')
    expect(troubles.map(String)).toEqual([])
    expect([model.requests.length, looks]).toEqual([4, ['a']])
    const trace = JSON.stringify(await reflex.trace(run))
    expect([trace.split('the agent asks its model').length - 1, trace.split('the agent calls a tool').length - 1]).toEqual([asks, calls])
    expect((await reflex.replay(run)).difference).toBeUndefined()
  })

  it('passes everything through outside of a turn', async () => {
    const { reflex } = life()
    const model = new ScriptedAgentsModel(inTurn('hello'))
    const provider = reflex.openaiAgents(model.provider)
    const { finalOutput } = await new Runner({ modelProvider: provider }).run(new Agent({ name: 'guide' }), 'hi')
    expect(finalOutput).toBe('hello')
    expect(await reflex.runs()).toEqual([])
  })

  it.each([
    ['a runner without a provider', { runner: {} }, 'R2150'],
    ['a model without functions', { model: {} }, 'R2150'],
    ['a tool that is frozen', { tools: [Object.freeze(toolNamed('frozen', () => ''))] }, 'R2150'],
  ])('is refused with %s, and nothing is changed', (_, parts, code) => {
    const { reflex } = life()
    const open = toolNamed('open', () => '')
    const before = open.invoke
    const tools = [open, ...('tools' in parts ? parts.tools : [])]
    expect(() => reflex.wrap({ framework: 'openai-agents', agent: async () => 'x', ...parts, tools })).toThrow(
      expect.objectContaining({ code }),
    )
    expect(open.invoke).toBe(before)
  })

  it('cannot run without a runner', async () => {
    const { reflex } = life()
    const wrapped = reflex.wrap({ framework: 'openai-agents', agent: new Agent({ name: 'guide' }) })
    await expect(wrapped.run('hi')).rejects.toMatchObject({ code: 'R2155', path: 'runner' })
  })

  it.each([
    ['has failed without saying how', {}, true, 'has failed; the SDK does not say how'],
    ['must be approved by a person', { needsApproval: true }, false, 'has to be approved by a person'],
    ['throws', { errorFunction: null }, true, 'out of tags'],
  ])('tells a plan of a tool that %s', async (_, more, isCalled, said) => {
    const world = life()
    await activate(world, RELEASE, ['set_tag'])
    const calls: unknown[] = []
    const fail = (args: object): never => {
      calls.push(args)
      throw new Error('out of tags')
    }
    const setTag = toolNamed('set_tag', fail, more)
    const model = new ScriptedAgentsModel(inTurn(propose({ tag: 'v1' }), 'It failed.'))
    const agent = new Agent({ name: 'guide', tools: [setTag] })
    const wrapped = world.reflex.wrap({ framework: 'openai-agents', agent, runner: runnerOf(model) })
    let run = ''
    expect((await wrapped.run('release v1', { onStart: (id) => (run = id) })).finalOutput).toBe('It failed.')
    expect(calls).toHaveLength(isCalled ? 1 : 0)
    expect(JSON.stringify(model.requests[1]?.input)).toContain('failed')
    expect(JSON.stringify(await world.reflex.trace(run))).toContain(said)
  })
})
