import { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { memoryStore } from '../../../src/store/index.ts'
import { work } from '../../../src/app/worker.ts'
import { activate, type ChatMessage, type ChatRequest, connection, life, propose, RELEASE, ScriptedModel, textOf } from './world.ts'

const BULLETIN = /<SKILL_BULLETIN/g
const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length
const textsOf = ({ messages }: ChatRequest): string => messages.map(({ content }) => textOf(content)).join('\n')
type Llm = (
  request: ChatRequest,
) => Promise<{ readonly choices: readonly { readonly message: { readonly role: string; readonly content: string } }[] }>

/** A loop that keeps its own history and asks its model as often as it is told to. */
function looping(history: ChatMessage[] = [], rounds = 1) {
  return async (text: string, context: { readonly llm: unknown }) => {
    const llm = context.llm as Llm
    history.push({ role: 'user', content: text })
    for (let i = 0; i < rounds; i++) {
      const { choices } = await llm({ messages: [{ role: 'system', content: 'You help.' }, ...history] })
      history.push({ role: 'assistant', content: choices[0]?.message.content ?? '' })
      if (i + 1 < rounds) history.push({ role: 'user', content: [{ type: 'tool_result', content: String(i) }] })
    }
    return history.at(-1)?.content
  }
}

const tools = () => ({ set_tag: (args: { tag: string }) => ({ tagged: args.tag }) })

describe('a wrapped loop', () => {
  // proves: skill 96, skill 97, skill 98, skill 99
  it('has one bulletin in every request of a turn, and requests that only grow', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const model = new ScriptedModel('one', 'two', 'three', 'four')
    const agent = one.reflex.wrap({ agent: looping([], 2), tools: tools(), llm: model.create })
    await agent.run('release it')
    await agent.run('release it again')
    const requests = model.requests.map(textsOf)
    expect(requests.map((text) => count(text, BULLETIN))).toEqual([1, 1, 2, 2])
    expect(requests.map((text) => count(text, /same="true"/g))).toEqual([0, 0, 1, 1])
    for (let i = 1; i < model.requests.length; i++) {
      const [before = [], after = []] = [model.requests[i - 1]?.messages, model.requests[i]?.messages]
      expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before))
    }
    expect(new Set(model.requests.map(({ messages }) => JSON.stringify(messages[0]))).size).toBe(1)
    const composed = await Promise.all((await one.reflex.runs()).map(async ({ id }) => JSON.stringify(await one.reflex.trace(id))))
    expect(composed.map((trace) => count(trace, /the bulletin shows/g))).toEqual([1, 1])
  })

  // proves: skill 100, skill 101, skill 112
  it('keeps the exchange with a skill from the agent, and shows it to the model once', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const model = new ScriptedModel(`On it.\n${propose({ tag: 'v1' })}`, 'Tagged.', 'Yes.', 'No.')
    const history: ChatMessage[] = []
    const agent = one.reflex.wrap({ agent: looping(history), tools: tools(), llm: model.create })
    await agent.run('release v1')
    expect(JSON.stringify(history)).not.toContain('SKILL_')
    expect(history.at(-1)?.content).toBe('On it.\nTagged.')
    await agent.run('did it work?')
    const third = textsOf({ messages: model.requests[2]?.messages.slice(1) ?? [] })
    expect([count(third, /<SKILL_PROPOSE>/g), count(third, /<SKILL_RESULT/g)]).toEqual([1, 1])
    history[1] = { role: 'assistant', content: 'I did something else.' }
    await agent.run('and now?')
    expect(textsOf(model.requests[3] ?? { messages: [] })).not.toContain('<SKILL_RESULT')
    const [first] = (await one.reflex.runs()).toReversed()
    expect(first?.used).toMatchObject({ tokens: 30 })
  })

  // proves: skill 113
  it('has at most so many hidden rounds', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const model = new ScriptedModel(...Array.from({ length: 10 }, (_, i) => `round ${i}\n${propose({ tag: `v${i}` })}`))
    const agent = one.reflex.wrap({ agent: looping(), tools: tools(), llm: model.create, maxSkillRounds: 2 })
    expect(await agent.run('release all')).toBe('round 0\nround 1\nround 2\n')
    expect(model.requests).toHaveLength(3)
  })

  // proves: skill 136
  it('goes on by itself after a denial', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const model = new ScriptedModel(propose({ tag: 'v1' }), 'Then I do it by hand.')
    const tagged: string[] = []
    const agent = one.reflex.wrap({
      agent: async (text: string, { llm, tools: own }: { llm: Llm; tools: { set_tag: (args: { tag: string }) => unknown } }) => {
        const { choices } = await llm({ messages: [{ role: 'user', content: text }] })
        await own.set_tag({ tag: 'by hand' })
        return choices[0]?.message.content
      },
      tools: { set_tag: ({ tag }: { tag: string }) => void tagged.push(tag) },
      llm: model.create,
    })
    // No keyword of the skill is in the text: its score is too low.
    expect(await agent.run('what is the weather?')).toBe('Then I do it by hand.')
    expect(textsOf(model.requests[1] ?? { messages: [] })).toMatch(/<SKILL_RESULT[^]*denied/)
    expect(tagged).toEqual(['by hand'])
  })

  // proves: skill 106
  it('keeps fifty turns apart', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const agent = one.reflex.wrap({
      agent: async (
        text: string,
        { llm, tools: own }: { llm: (text: string) => Promise<string>; tools: { echo: (text: string) => Promise<string> } },
      ) => {
        const echoed = await own.echo(text)
        return `${await llm(`release ${text}`)} ${echoed}`
      },
      tools: { ...tools(), echo: async (text: string) => (await new Promise(setImmediate), `echo ${text}`) },
      llm: async (text: string) => (
        await new Promise(setImmediate), `model ${/release (\d+)/.exec(text)?.[1] ?? ''} ${count(text, BULLETIN)}`
      ),
    })
    const runs: string[] = []
    const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => agent.run(String(i), { onStart: (id) => (runs[i] = id) })))
    expect(replies).toEqual(Array.from({ length: 50 }, (_, i) => `model ${i} 1 echo ${i}`))
    for (const [i, id] of runs.entries()) {
      const { state } = await one.reflex.runtime.peek(id)
      const board = state.root.reader().snapshot()
      expect(Object.keys(board).filter((key) => key.startsWith('~r.'))).toHaveLength(2)
      expect(JSON.stringify(board)).toContain(`echo ${i}"`)
    }
  })

  // proves: skill 107
  it('passes calls outside of a turn through', async () => {
    const one = life()
    const model = new ScriptedModel('hello')
    const llm = model.client
    const own = tools()
    one.reflex.wrap({ agent: looping(), tools: own, llm })
    const request = { messages: [{ role: 'user', content: 'hi' }] }
    expect(own.set_tag({ tag: 'v1' })).toEqual({ tagged: 'v1' })
    expect((await llm.chat.completions.create(request)).choices[0]?.message.content).toBe('hello')
    expect(model.requests).toEqual([request])
    expect(await one.reflex.runs()).toEqual([])
  })

  // proves: skill 102, skill 103
  it('is wrapped once, and unwrapped whole', async () => {
    const { reflex } = life()
    const model = new ScriptedModel('a')
    const [llm, own, agent] = [model.client, tools(), looping()]
    const [create, tag] = [llm.chat.completions.create, own.set_tag]
    const wrapped = reflex.wrap({ agent, tools: own, llm })
    expect(reflex.wrap(wrapped)).toBe(wrapped)
    expect(reflex.wrap({ agent, tools: own, llm })).toBe(wrapped)
    const other = reflex.wrap({ agent: async () => own.set_tag({ tag: 'v1' }), tools: own, llm, name: 'other' })
    let run = ''
    await other.run(undefined, { onStart: (id) => (run = id) })
    expect(JSON.stringify(await reflex.trace(run)).match(/the agent calls a tool/g)).toHaveLength(1)
    wrapped.unwrap()
    expect(llm.chat.completions.create).not.toBe(create)
    other.unwrap()
    expect([llm.chat.completions.create, own.set_tag]).toEqual([create, tag])
    expect(reflex.wrap({ agent, tools: own, llm })).not.toBe(wrapped)
  })

  // proves: skill 104
  it('refuses what it cannot intercept, and changes nothing', async () => {
    const { reflex } = life()
    const model = new ScriptedModel('a')
    const frozen = { chat: { completions: Object.freeze({ create: model.create }) } }
    const own = tools()
    const { set_tag } = own
    expect(() => reflex.wrap({ agent: looping(), tools: own, llm: frozen })).toThrow(
      expect.objectContaining({ code: 'R2150', rule: 'E_CANNOT_INTERCEPT' }),
    )
    expect(() => reflex.wrap({ agent: looping(), tools: Object.freeze(tools()), llm: model.client })).toThrow(
      expect.objectContaining({ code: 'R2150' }),
    )
    expect(() => reflex.wrap({ agent: looping(), llm: { complete: () => 'x' } })).toThrow(expect.objectContaining({ code: 'R2150' }))
    expect(own.set_tag).toBe(set_tag)
    const built = reflex.wrap(
      ({ llm }) =>
        async (text: string) =>
          (await llm.chat.completions.create({ messages: [{ role: 'user', content: text }] })).choices[0]?.message.content,
      { llm: frozen, tools: own },
    )
    expect(await built.run('hi')).toBe('a')
    expect(frozen.chat.completions.create).toBe(model.create)
  })

  // proves: skill 105
  it('reports an agent that asks its model past the proxies, and refuses it if it is strict', async () => {
    const { reflex, troubles } = life()
    const hidden = new ScriptedModel('past you', 'again')
    const agent = async () => (await hidden.create({ messages: [] })).choices[0]?.message.content
    expect(await reflex.wrap({ agent, llm: new ScriptedModel().create }).run(undefined)).toBe('past you')
    expect(troubles).toMatchObject([{ code: 'R2151', rule: 'adapter.no_intercept', severity: 'warning' }])
    const strict = reflex.wrap({ agent: () => agent(), llm: new ScriptedModel().create, strictIntercept: true })
    await expect(strict.run(undefined)).rejects.toMatchObject({ code: 'R2151' })
  })

  // proves: skill 108, skill 108-agent
  it('aborts the call and undoes what a skill did when the host cancels', async () => {
    const one = life()
    const { irreversible_reason: _, ...plan } = RELEASE.plan
    const undone = {
      ...RELEASE,
      preconditions: { tools_available: ['set_tag', 'push', 'drop_tag'], data_present: ['tag'] },
      plan: {
        ...plan,
        steps: [...plan.steps, { id: 'push', tool: 'push', args: { tag: '{{tag}}' } }],
        compensation: [{ when: 'partial_failure', tool: 'drop_tag', args: { tag: '{{tag}}' } }],
      },
    }
    await activate(one, undone, ['set_tag', 'push', 'drop_tag'])
    const calls: string[] = []
    const begun = Promise.withResolvers<void>()
    const agent = one.reflex.wrap({
      agent: looping(),
      tools: {
        set_tag: () => calls.push('set'),
        push: () => {
          begun.resolve()
          return new Promise(() => undefined)
        },
        drop_tag: () => calls.push('drop'),
      },
      llm: new ScriptedModel(propose({ tag: 'v1' })).create,
    })
    const control = new AbortController()
    let run = ''
    const turn = agent.run('release v1', { signal: control.signal, onStart: (id) => (run = id) })
    await begun.promise
    control.abort(new Error('enough'))
    await expect(turn).rejects.toThrow('enough')
    expect(calls).toEqual(['set', 'drop'])
    expect((await one.reflex.find(run)).status).toBe('cancelled')
  })

  // proves: skill 108-agent
  it('aborts a call of the model that is in progress when the host cancels', async () => {
    const { reflex } = life()
    const begun = Promise.withResolvers<AbortSignal>()
    const agent = reflex.wrap({
      agent: async (_: string, { llm }) => llm({ messages: [] }),
      llm: (_: ChatRequest, options?: { signal: AbortSignal }) => {
        if (options !== undefined) begun.resolve(options.signal)
        return new Promise<string>(() => undefined)
      },
    })
    const control = new AbortController()
    const turn = agent.run('x', { signal: control.signal })
    const signal = await begun.promise
    control.abort(new Error('enough'))
    await expect(turn).rejects.toThrow('enough')
    expect(signal.aborted).toBe(true)
  })

  // proves: skill 109
  it('works on without Reflex when Reflex fails, and carries out no skill', async () => {
    const under = memoryStore()
    let isBroken = false
    const store = connection(under, (name, act) =>
      name !== 'commit'
        ? undefined
        : (...args) => {
            if (isBroken) throw new Error('the disk is full')
            return act(...args)
          },
    )
    const one = life({ store })
    await activate(one, RELEASE, ['set_tag'])
    const tagged: string[] = []
    const model = new ScriptedModel('first', propose({ tag: 'v1' }), 'third')
    const agent = one.reflex.wrap({
      agent: async (text: string, { llm }: { llm: Llm }) => {
        const said: string[] = []
        for (let i = 0; i < 3; i++) {
          const { choices } = await llm({ messages: [{ role: 'user', content: `${text} ${i}` }] })
          said.push(choices[0]?.message.content ?? '')
          if (i === 0) isBroken = true
          await new Promise(setImmediate)
          await new Promise(setImmediate)
          for (let turn = 0; turn < 20; turn++) await one.host.advance(10)
        }
        return said
      },
      tools: { set_tag: ({ tag }: { tag: string }) => void tagged.push(tag) },
      llm: model.create,
    })
    expect(await agent.run('release v1')).toEqual(['first', propose({ tag: 'v1' }), 'third'])
    expect(tagged).toEqual([])
    expect(one.troubles.filter(({ code }) => code === 'R2153')).toMatchObject([{ rule: 'reflex.internal_error' }])
  })

  it('records each call of a tool with its origin, and nothing that a tool redacts', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const agent = one.reflex.wrap({
      agent: async (text: string, { llm, tools: own }: { llm: Llm; tools: { login: { execute: (args: object) => unknown } } }) => {
        expect(await own.login.execute({ user: 'ana', password: 'hunter2' })).toEqual({ token: 's3cret', ok: true })
        await llm({ messages: [{ role: 'user', content: text }] })
      },
      tools: { ...tools(), login: { redact: ['/password', '/token'], execute: () => ({ token: 's3cret', ok: true }) } },
      llm: new ScriptedModel(propose({ tag: 'v1' }), 'done').create,
    })
    let run = ''
    await agent.run('release v1', { onStart: (id) => (run = id) })
    let archive = ''
    for await (const line of one.reflex.export(run)) archive += line
    expect(archive).not.toMatch(/hunter2|s3cret/)
    expect(archive).toContain('‹redacted›')
    const trace = JSON.stringify(await one.reflex.trace(run))
    expect(trace).toContain('"via":"agent"')
  })

  // proves: skill 137, skill 138
  it('seeds the blackboard from its sources in their order, without a network', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const connect = Object.getOwnPropertyDescriptor(Socket.prototype, 'connect') ?? {}
    const dialled: unknown[] = []
    Object.defineProperty(Socket.prototype, 'connect', {
      ...connect,
      value: (...args: unknown[]) => {
        dialled.push(args)
        throw new Error('no network')
      },
    })
    onTestFinished(() => void Object.defineProperty(Socket.prototype, 'connect', connect))
    const model = new ScriptedModel(propose({ tag: 'v1' }), 'done')
    const agent = one.reflex.wrap({ agent: looping(), tools: tools(), llm: model.create, env: ['CI', 'HOME_OF_NOBODY'] })
    let run = ''
    await agent.run('release v1', {
      state: { ctx: { repo: 'a', branch: 'main' } },
      blackboard: { 'ctx.repo': 'b', env: { ci: 'no' } },
      onStart: (id) => (run = id),
    })
    const { state } = await one.reflex.runtime.peek(run)
    const board = state.root.reader().snapshot()
    expect(board).toMatchObject({ 'ctx.repo': 'b', 'ctx.branch': 'main', 'env.ci': 'no' })
    expect(state.root.args).toMatchObject({
      seed: { 'ctx.repo': { from: 'caller' }, 'ctx.branch': { from: 'state' } },
      replaced: [
        { path: 'ctx.repo', value: 'a', from: 'state', by: 'caller' },
        { path: 'env.ci', value: 'yes', from: 'env', by: 'caller' },
      ],
    })
    expect(board['work.url']).toBe('https://x.test/v1')
    expect(dialled).toEqual([])
    await expect(agent.run('x', { blackboard: { policy: { admin: true } } })).rejects.toMatchObject({ code: 'R2155' })
  })

  // proves: skill 148
  it('is replayed without a live call', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const model = new ScriptedModel(propose({ tag: 'v1' }), 'done')
    const tagged: string[] = []
    const agent = one.reflex.wrap({
      agent: looping(),
      tools: { set_tag: ({ tag }: { tag: string }) => tagged.push(tag) },
      llm: model.create,
    })
    let run = ''
    await agent.run('release v1', { onStart: (id) => (run = id) })
    const other = life({ store: one.store })
    expect((await other.reflex.replay(run)).difference).toBeUndefined()
    expect([model.requests.length, tagged]).toEqual([2, ['v1']])
  })

  it('does not use the late result of a tool that a skill no longer waits for', async () => {
    const one = life()
    const slow = { ...RELEASE, plan: { ...RELEASE.plan, steps: [{ ...RELEASE.plan.steps[0], timeout_ms: 1000 }] } }
    await activate(one, slow, ['set_tag'])
    const called = Promise.withResolvers<(value: string) => void>()
    const hold = Promise.withResolvers<void>()
    const model = new ScriptedModel(propose({ tag: 'v1' }), 'It may be tagged.')
    const agent = one.reflex.wrap({
      agent: async (text: string, { llm }: { llm: Llm }) => {
        const { choices } = await llm({ messages: [{ role: 'user', content: text }] })
        await hold.promise
        return choices[0]?.message.content
      },
      tools: { set_tag: () => new Promise<string>((resolve) => called.resolve(resolve)) },
      llm: model.create,
    })
    const turn = agent.run('release v1')
    const answer = await called.promise
    await one.host.advance(1000)
    while (model.requests.length < 2) await new Promise(setImmediate)
    answer('tagged after all')
    await one.host.drain()
    hold.resolve()
    expect(await turn).toBe('It may be tagged.')
    const told = textsOf(model.requests[1] ?? { messages: [] })
    expect(told).toMatch(/<SKILL_RESULT/)
    expect(told).not.toContain('tagged after all')
  })

  it('wraps a client like that of Anthropic', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const requests: { readonly system?: unknown; readonly messages: readonly unknown[]; readonly tools?: readonly unknown[] }[] = []
    const replies = [
      [{ type: 'tool_use', id: 't1', name: 'reflex_propose', input: { skill_id: 'release.tag', inputs: { tag: 'v1' } } }],
      [{ type: 'text', text: 'Tagged.' }],
    ]
    const llm = {
      messages: {
        create: async (request: (typeof requests)[number]) => {
          requests.push(structuredClone(request))
          const content = replies[requests.length - 1] ?? []
          return { type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage: { input_tokens: 10, output_tokens: 5 } }
        },
      },
    }
    const agent = one.reflex.wrap({
      agent: async (text: string) => llm.messages.create({ messages: [{ role: 'user', content: text }] }),
      tools: tools(),
      llm,
      carrier: 'tool',
    })
    expect(await agent.run('release v1')).toMatchObject({
      content: [{ type: 'text', text: 'Tagged.' }],
      usage: { input_tokens: 20, output_tokens: 10 },
    })
    expect(requests[0]?.tools).toMatchObject([{ name: 'reflex_propose' }, { name: 'reflex_clarify' }])
    expect(requests[1]?.messages.slice(1)).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1' }] },
    ])
  })

  it('is a session that the host drives by hand', async () => {
    const one = life()
    await activate(one, RELEASE, ['set_tag'])
    const model = new ScriptedModel(propose({ tag: 'v1' }), 'Tagged.')
    const own = { set_tag: async (args: { tag: string }) => ({ tagged: args.tag }) }
    const session = await one.reflex.session({ llm: model.client, tools: own, input: 'by hand' })
    const { choices } = await session.llm.chat.completions.create({ messages: [{ role: 'user', content: 'release v1' }] })
    expect(choices[0]?.message.content).toBe('Tagged.')
    expect(await session.tools.set_tag({ tag: 'v2' })).toEqual({ tagged: 'v2' })
    expect(await session.once('date', () => 2026)).toBe(2026)
    await session.end('done')
    expect(await one.reflex.find(session.run)).toMatchObject({ status: 'completed', value: 'done' })
    expect(await session.tools.set_tag({ tag: 'v3' })).toEqual({ tagged: 'v3' })
  })

  it('says what cannot be wrapped', () => {
    const { reflex } = life()
    const refused = [{ agent: 5 }, { agent: looping(), tools: { a: 5 } }, { agent: looping(), dialect: 'latin' }]
    for (const parts of refused) expect(() => reflex.wrap(parts as never)).toThrow(expect.objectContaining({ code: 'R2155' }))
  })

  it('refuses an unknown option and a wrong value of one', async () => {
    const { reflex } = life()
    const wrap = (more: object): unknown => reflex.wrap({ agent: looping(), ...more } as never)
    expect(() => wrap({ tool: [] })).toThrow('reflex.wrap: parts has the unknown option "tool"; did you mean "tools"?')
    expect(() => wrap({ carrier: 'blocks' })).toThrow(
      'reflex.wrap: parts.carrier must be "text" or "tool" or "both", but is the text "blocks"',
    )
    const wrapped = reflex.wrap({ agent: async (text: string) => text })
    const wrong = { goal_labels: ['deploy'] }
    await expect(wrapped.run('x', wrong as never)).rejects.toMatchObject({ code: 'R1090', fix: 'write "goalLabels"' })
    expect(await wrapped.run('x', { goalLabels: ['deploy'] })).toBe('x')
  })

  it('leaves interrupted turns to the process of their agent', async () => {
    const first = life({ closes: false })
    const agent = first.reflex.wrap({
      agent: async (_: string, { llm }) => llm('x'),
      llm: (_: string) => new Promise<string>(() => undefined),
    })
    const begun = Promise.withResolvers<string>()
    void agent.run('x', { onStart: begun.resolve })
    const run = await begun.promise
    for (let i = 0; i < 20; i++) await first.host.advance(20)
    const second = life({ store: connection(first.store), at: first.host.now() + 3_600_000 })
    const events: string[] = []
    await work(second.reflex, { once: true, onEvent: ({ did }) => void events.push(did) })
    expect(events).toEqual([])
    expect((await second.reflex.find(run)).status).toBe('running')
    await expect((await second.reflex.resume(run)).run.idle()).rejects.toMatchObject({
      code: 'R2107',
      fix: expect.stringContaining(`await wrapped.resume('${run}')`) as string,
    })
  })
})
