import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EngineError, type EngineEvents, type Guard } from '../../../../src/kinds/workflow/index.ts'
import { agentOf, asking, caught, deferred, engineOf, flow, log, messageOf, onward } from './kit.ts'

const pair = flow('pair', { a: {}, b: {} }, [['a', 'b']])

/** An engine whose agent gives one bad answer, then behaves. */
async function afterBad(
  bad: () => unknown,
): Promise<{ engine: ReturnType<typeof engineOf>; told: EngineEvents['engine:error'][]; events: string[] }> {
  let first = true
  const agent = agentOf({
    a: (it) => {
      if (!first) return onward(it, { good: 1 })
      first = false
      return bad()
    },
  })
  const engine = engineOf([pair], agent)
  const told: EngineEvents['engine:error'][] = []
  engine.on('engine:error', (payload) => told.push(payload))
  await engine.init('pair', { blackboard: [{ key: 'seed', value: 1 }] })
  const events = log(engine)
  return { engine, told, events }
}

const cyclic: Record<string, unknown> = {}
cyclic.self = cyclic
const write = (value: unknown) => ({ type: 'advance', edge: 'a-b', writes: [{ key: 'v', value }] })
const thrower = (value: unknown) => () => {
  throw value
}
const BAD: readonly [name: string, bad: () => unknown, reason: string, code: string][] = [
  ['throws', thrower(new Error('boom')), 'Decision agent threw an error', 'R2052'],
  ['rejects', () => Promise.reject(new Error('boom')), 'Decision agent threw an error', 'R2052'],
  ['throws a string', thrower('boom'), 'Decision agent threw an error', 'R2052'],
  ['throws nothing', thrower(undefined), 'Decision agent threw an error', 'R2052'],
  ['rejects with an object', () => Promise.reject(Object.create(null)), 'Decision agent threw an error', 'R2052'],
  ['answers nothing', () => undefined, 'Invalid decision', 'R2053'],
  ['answers null', async () => null, 'Invalid decision', 'R2053'],
  ['answers a text', async () => 'advance', 'Invalid decision', 'R2053'],
  ['answers another type', async () => ({ type: 'finish' }), 'Invalid decision', 'R2053'],
  ['answers an inherited type', async () => ({ type: 'toString' }), 'Invalid decision', 'R2053'],
  ['answers a list', async () => ['a-b'], 'Invalid decision', 'R2053'],
  ['advances without an edge', async () => ({ type: 'advance' }), 'Invalid decision', 'R2053'],
  ['suspends without a reason', async () => ({ type: 'suspend' }), 'Invalid decision', 'R2053'],
  ['writes no list', async () => ({ type: 'advance', edge: 'a-b', writes: { v: 1 } }), 'Invalid decision', 'R2053'],
  ['writes nothing in a list', async () => ({ type: 'advance', edge: 'a-b', writes: [null] }), 'Invalid decision', 'R2053'],
  [
    'writes without a key',
    async () => ({ type: 'advance', edge: 'a-b', writes: [{ value: 1 }, { key: 'k', value: 1 }] }),
    'Invalid decision',
    'R2053',
  ],
  ['writes undefined', async () => write(undefined), 'pair/a.v is undefined; JSON has no such value', 'R2004'],
  ['writes a function', async () => write({ deep: [() => 1] }), 'pair/a.v.deep[0] is a function; JSON has no such value', 'R2004'],
  ['writes NaN', async () => write(Number.NaN), 'pair/a.v is NaN; JSON has no such value', 'R2004'],
  ['writes a date', async () => write(new Date(0)), 'pair/a.v is a Date; JSON has no such value', 'R2004'],
  ['writes a cycle', async () => write(cyclic), 'pair/a.v.self is a cycle; JSON has no such value', 'R2004'],
  [
    'takes an edge that is not there',
    async () => ({ type: 'advance', edge: 'nope', writes: [{ key: 'v', value: 1 }] }),
    'Invalid edge selection',
    'R2050',
  ],
  ['takes an inherited edge', async () => ({ type: 'advance', edge: 'constructor' }), 'Invalid edge selection', 'R2050'],
  [
    'completes in the middle',
    async () => ({ type: 'complete', writes: [{ key: 'v', value: 1 }] }),
    'complete at non-terminal node',
    'R2054',
  ],
]

describe('an agent that', () => {
  // proves: workflow 1.4n, workflow 2.10c, workflow 2.10f, workflow 3.4a, workflow 3.4b, workflow 3.4c, workflow 3.4d, workflow r3a
  // proves: workflow r5.3b, workflow r5.4a, workflow r5.6a, workflow r7l, workflow r16m, workflow C2, workflow C14, workflow r18a
  // proves: workflow r18g, workflow d-json
  test.each(BAD)('%s suspends with a typed error, and loses nothing', async (_, bad, reason, code) => {
    const { engine, told, events } = await afterBad(bad)
    expect(await engine.step()).toEqual({ status: 'suspended', reason })
    expect([engine.status(), engine.currentNode()?.id, engine.blackboard().keys()]).toEqual(['suspended', 'a', ['seed']])
    expect(events).toHaveLength(1)
    expect(told[0]).toMatchObject({ nodeId: 'a', node: pair.nodes.a, workflow: pair, fault: { code } })
    expect(told[0]?.error).toBeDefined()
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(engine.blackboard().keys()).toEqual(['seed', 'good'])
  })

  // proves: workflow r6a, workflow r6b, workflow D12
  test.each(BAD)('%s makes run answer with the error', async (_, bad) => {
    const { engine, told } = await afterBad(bad)
    const result = await engine.run()
    expect(result).toEqual({ status: 'error', error: { error: told[0]?.error, nodeId: 'a' } })
    expect(await engine.run()).toEqual({ status: 'completed' })
  })

  test.each(BAD)('%s is told so that it can be sent on', async (_, bad) => {
    const { engine, told } = await afterBad(bad)
    await engine.step()
    const sent = JSON.parse(JSON.stringify(told[0])) as EngineEvents['engine:error']
    expect(sent.fault).toEqual(told[0]?.fault)
    expect(sent.fault.message).not.toBe('')
    expect(sent).toMatchObject({ nodeId: 'a', workflow: pair })
  })

  // proves: workflow r7k
  test('throws has its error reported unchanged', async () => {
    const boom = new RangeError('boom')
    const { engine, told } = await afterBad(thrower(boom))
    expect(await engine.run()).toEqual({ status: 'error', error: { error: boom, nodeId: 'a' } })
    expect(told[0]?.error).toBe(boom)
    expect(told[0]?.fault).toMatchObject({ code: 'R2052', message: 'the agent failed: boom', verdict: 'retry' })
  })

  // proves: workflow 2.10f, workflow r7k
  test('chooses wrongly is reported with the texts that users know', async () => {
    const wrong = await afterBad(() => ({ type: 'advance', edge: 'nope' }))
    await wrong.engine.step()
    expect(wrong.told[0]?.error).toBeInstanceOf(EngineError)
    expect(wrong.events).toEqual(["error a: Decision agent chose invalid edge 'nope'"])
    const early = await afterBad(() => ({ type: 'complete' }))
    await early.engine.step()
    expect(early.told[0]?.error).toMatchObject({ name: 'EngineError', code: 'R2054' })
    expect(early.events).toEqual(["error a: Decision agent returned 'complete' at non-terminal node 'a'"])
  })

  test('returns any value never breaks the engine', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }), async (answer) => {
        const { engine } = await afterBad(() => answer)
        await engine.step()
        expect(['running', 'suspended']).toContain(engine.status())
        expect(await engine.run()).toEqual({ status: 'completed' })
      }),
    )
  })

  test('returns a decision with any content never breaks the engine', async () => {
    const part = fc.oneof(fc.constant('a-b'), fc.anything())
    const decision = fc.record(
      {
        type: fc.constantFrom('advance', 'suspend', 'complete'),
        edge: part,
        reason: part,
        writes: fc.oneof(fc.array(fc.record({ key: fc.oneof(fc.string(), part), value: part })), part),
        ask: part,
        by: part,
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(decision, async (answer) => {
        const { engine } = await afterBad(() => answer)
        await engine.step()
        expect(['running', 'suspended']).toContain(engine.status())
        expect(await engine.run()).toEqual({ status: 'completed' })
      }),
    )
  })

  // proves: workflow 1.4n, workflow r5.6a
  test('completes while all edges are closed is refused', async () => {
    const shut = flow('shut', { a: {}, b: {} }, [['a', 'b', { type: 'exists', key: 'never' }]])
    const engine = engineOf([shut], agentOf({ a: async () => ({ type: 'complete' }) }))
    await engine.init('shut')
    expect(await engine.step()).toEqual({ status: 'suspended', reason: 'complete at non-terminal node' })
  })

  test('advances at an end is refused', async () => {
    const engine = engineOf([pair], agentOf({ b: async () => ({ type: 'advance', edge: 'a-b' }) }))
    await engine.init('pair')
    expect(await engine.run()).toMatchObject({
      status: 'error',
      error: { error: { fix: 'choose one of no edge: the node is terminal, complete it' } },
    })
  })
})

describe('a guard that', () => {
  const guarded = (guard: unknown) =>
    flow('guarded', { a: {}, b: {}, c: {} }, [
      ['a', 'b'],
      ['a', 'c', guard as Guard],
    ])
  const boom = new Error('boom')
  // proves: workflow 1.4c, workflow 3.4e, workflow r5.2b, workflow r7k, workflow r7l, workflow r9e, workflow D16, workflow r18b
  // proves: workflow r18l
  test.each<[string, Guard, unknown]>([
    ['throws', { type: 'custom', evaluate: thrower(boom) }, boom],
    ['answers a promise', { type: 'custom', evaluate: (async () => true) as unknown as () => boolean }, { code: 'R2041' }],
    [
      'answers a promise that fails',
      { type: 'custom', evaluate: (() => Promise.reject(boom)) as unknown as () => boolean },
      { code: 'R2041' },
    ],
    ['answers a number', { type: 'custom', evaluate: (() => 1) as unknown as () => boolean }, { code: 'R2041' }],
  ])('%s suspends, and nobody is asked', async (_, guard, error) => {
    const agent = agentOf()
    const workflow = guarded(guard)
    const engine = engineOf([workflow], agent)
    const told: unknown[] = []
    engine.on('engine:error', (payload) => told.push(payload))
    await engine.init('guarded')
    expect(engine.validEdges()).toEqual([])
    expect(told).toEqual([])
    expect(await engine.step()).toEqual({ status: 'suspended', reason: 'Guard evaluation error' })
    expect(agent.asked).toEqual([])
    expect(told).toMatchObject([{ error, nodeId: 'a', fault: { code: 'R2051' } }])
    expect(await engine.run()).toMatchObject({ status: 'error', error: { error, nodeId: 'a' } })
    Object.assign(guard, { evaluate: () => false })
    expect(await engine.run()).toEqual({ status: 'completed' })
  })

  // proves: workflow C4
  test('gets an unknown type after registration stays as registered (C4)', async () => {
    const guard = { type: 'not-exists', key: 'x' }
    const engine = engineOf([guarded(guard)])
    guard.type = 'mystery'
    await engine.init('guarded')
    expect(await engine.run()).toEqual({ status: 'completed' })
  })

  test('changes its result between question and answer fails, or closes the edge, but never crashes', async () => {
    let calls = 0
    const fickle: Guard = { type: 'custom', evaluate: () => ++calls % 2 === 1 }
    const engine = engineOf([guarded(fickle)], agentOf({ a: async () => ({ type: 'advance', edge: 'a-c' }) }))
    await engine.init('guarded')
    expect(await engine.step()).toEqual({ status: 'suspended', reason: 'Invalid edge selection' })
  })
})

describe('an answer', () => {
  const ask = agentOf({ a: async (it) => (it.input === undefined ? { type: 'suspend', reason: 'q' } : onward(it, { answer: it.input })) })

  test('to a question that was never asked is refused', async () => {
    const engine = engineOf([pair], ask)
    await engine.init('pair')
    expect(await messageOf(() => engine.resume('yes'))).toBe('EngineError: run() was given input, but no node waits for it')
    expect(await messageOf(() => engine.step({ input: 1 }))).toBe('EngineError: step() was given input, but no node waits for it')
    expect(engine.status()).toBe('running')
    expect(await engine.run()).toEqual({ status: 'suspended', reason: 'q' })
  })

  test('to a question that is already answered is refused', async () => {
    const engine = engineOf([pair], ask)
    await engine.init('pair')
    await engine.step()
    await engine.step({ input: 'first' })
    expect(await caught(() => engine.step({ input: 'second' }))).toBeInstanceOf(EngineError)
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(
      engine
        .blackboard()
        .getAll('answer')
        .map(({ value }) => value),
    ).toEqual(['first'])
    expect(await caught(() => engine.resume('third'))).toBeInstanceOf(EngineError)
  })

  test.each([
    ['a function', () => 1],
    ['NaN', Number.NaN],
    ['a cycle', cyclic],
    ['a map', new Map()],
  ])('that is %s is refused, and the question stays open', async (_, input) => {
    const engine = engineOf([pair], ask)
    await engine.init('pair')
    await engine.step()
    expect(await caught(() => engine.resume(input))).toMatchObject({ code: 'R2004' })
    expect(await caught(() => engine.step({ input }))).toMatchObject({ code: 'R2004' })
    expect(engine.status()).toBe('suspended')
    expect(await engine.resume('yes')).toEqual({ status: 'completed' })
  })

  test('is kept if the decision after it fails', async () => {
    let failures = 2
    const agent = agentOf({
      a: async (it) => {
        if (it.input === undefined) return { type: 'suspend', reason: 'q' }
        if (failures-- > 0) throw new Error('the line is down')
        return onward(it, { answer: it.input })
      },
    })
    const engine = engineOf([pair], agent)
    await engine.init('pair')
    await engine.run()
    expect(await engine.resume('yes')).toMatchObject({ status: 'error' })
    expect(await engine.step()).toMatchObject({ status: 'suspended' })
    expect(await engine.step()).toMatchObject({ status: 'advanced' })
    expect(engine.blackboard().get('answer')).toBe('yes')
  })

  test('given with a retry replaces the earlier one', async () => {
    const agent = agentOf({
      a: async (it) => {
        if (it.input === undefined) return { type: 'suspend', reason: 'q' }
        if (it.input === 'bad') throw new Error('no')
        return onward(it, { answer: it.input })
      },
    })
    const engine = engineOf([pair], agent)
    await engine.init('pair')
    await engine.run()
    await engine.resume('bad')
    expect(await engine.resume('good')).toEqual({ status: 'completed' })
    expect(engine.blackboard().get('answer')).toBe('good')
  })
})

describe('an agent that never answers', () => {
  test('can be interrupted: the session suspends, its signal is aborted, and the session can continue', async () => {
    const never = deferred<never>()
    const asked = deferred<void>()
    const signals: AbortSignal[] = []
    let calls = 0
    const engine = engineOf([pair], {
      async resolve(context, call) {
        if (context.node.id !== 'a' || calls++ > 0) return onward(context)
        if (call !== undefined) signals.push(call.signal)
        asked.resolve()
        return never.promise
      },
    })
    const events = log(engine)
    await engine.init('pair')
    const running = engine.run()
    await asked.promise
    engine.interrupt('enough')
    expect(await running).toMatchObject({
      status: 'error',
      error: { nodeId: 'a', error: { name: 'EngineError', code: 'R2059', message: 'enough' } },
    })
    expect([signals[0]?.aborted, engine.status(), events.at(-1)]).toEqual([true, 'suspended', 'error a: enough'])
    expect(await engine.run()).toEqual({ status: 'completed' })
  })

  test('can get a signal from the step', async () => {
    const late = deferred<unknown>()
    let calls = 0
    const asked = deferred<void>()
    const first = () => (asked.resolve(), late.promise)
    const engine = engineOf([pair], agentOf({ a: (it) => (calls++ === 0 ? first() : onward(it, { by: 'second' })) }))
    await engine.init('pair')
    const time = new AbortController()
    const step = engine.step({ signal: time.signal })
    await asked.promise
    time.abort(new Error('out of time'))
    expect(await step).toEqual({ status: 'suspended', reason: 'out of time' })
    expect(await engine.step()).toMatchObject({ status: 'advanced' })
    late.resolve({ type: 'advance', edge: 'a-b', writes: [{ key: 'by', value: 'first, too late' }] })
    await late.promise
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(
      engine
        .blackboard()
        .getAll('by')
        .map(({ value }) => value),
    ).toEqual(['second'])
  })

  test('does not disturb a new session, nor does a discarded session', async () => {
    const late = deferred<unknown>()
    let calls = 0
    const engine = engineOf([pair], agentOf({ a: (it) => (calls++ === 0 ? late.promise : onward(it)) }))
    await engine.init('pair')
    const step = engine.step()
    expect(await messageOf(() => engine.init('pair'))).toBe('EngineError: init() called while a step is in progress')
    engine.interrupt()
    await step
    const id = await engine.init('pair')
    late.reject(new Error('very late'))
    await late.promise.catch(() => undefined)
    expect([engine.sessionId(), await engine.run()]).toEqual([id, { status: 'completed' }])
  })

  test('keeps the answer that was given', async () => {
    const never = deferred<never>()
    let calls = 0
    const agent = agentOf({
      a: (it) => {
        if (it.input === undefined) return { type: 'suspend', reason: 'q' }
        return calls++ === 0 ? never.promise : onward(it, { answer: it.input })
      },
    })
    const engine = engineOf([pair], agent)
    await engine.init('pair')
    await engine.run()
    const running = engine.resume('yes')
    engine.interrupt()
    await running
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(engine.blackboard().get('answer')).toBe('yes')
  })

  test('is not asked if the step was interrupted before; a transition that was made is not undone', async () => {
    let asked = 0
    const agent = agentOf({ a: async (it) => (asked++ === 0 ? { type: 'suspend', reason: 'q' } : onward(it)) })
    const engine = engineOf([pair], agent)
    const events = log(engine)
    await engine.init('pair')
    await engine.step()
    const time = new AbortController()
    const step = engine.step({ signal: time.signal })
    time.abort('a reason that is no error')
    expect(await step).toEqual({ status: 'suspended', reason: 'interrupted' })
    expect([asked, events.at(-1)]).toEqual([1, 'error a: interrupted'])

    const sync = engineOf([pair])
    await sync.init('pair')
    const made = sync.step()
    sync.interrupt('too late')
    expect(await made).toMatchObject({ status: 'advanced' })
    expect([sync.status(), await sync.run()]).toEqual(['running', { status: 'completed' }])
  })

  test('is not disturbed by a signal that is already aborted, or aborted later', async () => {
    const engine = engineOf([pair])
    await engine.init('pair')
    expect(await messageOf(() => engine.step({ signal: AbortSignal.abort() }))).toBe(
      'EngineError: step() was given a signal that is already aborted',
    )
    const time = new AbortController()
    await engine.step({ signal: time.signal })
    time.abort()
    engine.interrupt()
    expect(engine.status()).toBe('running')
    expect(await engine.run()).toEqual({ status: 'completed' })
  })

  test('can interrupt its own step', async () => {
    let calls = 0
    const engine = engineOf(
      [pair],
      agentOf({
        a: (it) => {
          if (calls++ === 0) engine.interrupt('changed my mind')
          return onward(it)
        },
      }),
    )
    await engine.init('pair')
    expect(await engine.run()).toMatchObject({ status: 'error' })
    expect(await engine.run()).toEqual({ status: 'completed' })
  })
})

describe('a node with the name of a wait of Reflex itself', () => {
  test.each(['engine:error', 'way', 'doubt', 'engine:budget'])('suspends and is resumed like any other: %s', async (name) => {
    const agent = agentOf({ [name]: asking('said', 'a person decides') })
    const engine = engineOf([flow('main', { [name]: {}, after: {} }, [[name, 'after']])], agent)
    const events = log(engine)
    await engine.init('main')
    expect(await engine.run()).toEqual({ status: 'suspended', reason: 'a person decides' })
    expect(events.at(-1)).toBe(`suspend ${name}: a person decides`)
    expect(await engine.resume('yes')).toEqual({ status: 'completed' })
    expect(engine.blackboard().get('said')).toBe('yes')
  })

  test('fails with a typed fault like any other', async () => {
    const engine = engineOf([flow('main', { 'engine:error': {} }, [])], agentOf({ 'engine:error': () => Promise.reject(new Error('no')) }))
    await engine.init('main')
    expect(await engine.run()).toEqual({ status: 'error', error: { error: new Error('no'), nodeId: 'engine:error' } })
  })
})
