import { describe, expect, test } from 'vitest'
import { EngineError, type ReflexEngine } from '../../../../src/kinds/workflow/index.ts'
import { agentOf, caught, deferred, engineOf, flow, log, messageOf, onward, stepAll, writing } from './kit.ts'

const child = flow('child', { c: {} }, [])
const main = flow('main', { a: {}, go: { calls: 'child', map: { got: 'made' } }, z: {} }, [
  ['a', 'go'],
  ['go', 'z'],
])
const script = { a: writing({ x: 1 }), c: writing({ made: 1 }), z: writing({ end: 1 }) }

const CALLS: Readonly<Record<string, (engine: ReflexEngine) => unknown>> = {
  'init()': (engine) => engine.init('main'),
  'step()': (engine) => engine.step(),
  'run()': (engine) => engine.run(),
  'pushWorkflow()': (engine) => engine.pushWorkflow('child'),
  'popWorkflow()': (engine) => engine.popWorkflow(),
  'unwindToDepth()': (engine) => engine.unwindToDepth(0),
}

/** The text of a refusal; users of the original look for "suspended" in that of `unwindToDepth`. */
function refusal(name: string): string {
  const needs = name === 'unwindToDepth()' ? '; it requires engine to be suspended' : ''
  return `${name} called while a step is in progress${needs}`
}

describe('one call at a time (D2, D3)', () => {
  // proves: workflow 5a, workflow C12, workflow D2
  test.each(Object.entries(CALLS))('%s is refused while a step is under way, and the step is not disturbed', async (name, call) => {
    const held = deferred<void>()
    const engine = engineOf([child, main], agentOf({ ...script, a: async (it) => (await held.promise, onward(it, { x: 1 })) }))
    const events = log(engine)
    await engine.init('main')
    const step = engine.step()
    expect(await messageOf(() => call(engine))).toBe(`EngineError: ${refusal(name)}`)
    held.resolve()
    expect(await step).toMatchObject({ status: 'advanced' })
    expect(events).toEqual(['init main', 'enter main/a', 'exit main/a', 'edge main/a-go', 'write main: x=1 main/a@0', 'enter main/go'])
  })

  // proves: workflow C12, workflow D3
  test.each(Object.entries(CALLS))('%s is refused to an agent', async (name, call) => {
    let thrown: unknown
    const engine = engineOf(
      [child, main],
      agentOf({
        ...script,
        c: async (it) => {
          thrown = await caught(() => call(engine))
          return onward(it)
        },
      }),
    )
    await engine.init('main')
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect(thrown).toBeInstanceOf(EngineError)
    expect(thrown).toMatchObject({ message: refusal(name), code: 'R2014' })
  })

  test.each(Object.entries(CALLS))(
    '%s is refused to handlers, also during pushWorkflow, popWorkflow, unwindToDepth and init',
    async (name, call) => {
      const refused: string[] = []
      const expected: string[] = []
      const engine = engineOf([child, main], agentOf({ ...script, c: async () => ({ type: 'suspend', reason: 'no' }) }))
      const pending: Promise<void>[] = []
      engine.onAny((event) => {
        expected.push(event)
        pending.push(messageOf(() => call(engine)).then((message) => void refused.push(message)))
      })
      await engine.init('main')
      engine.pushWorkflow('child')
      engine.popWorkflow()
      await engine.step()
      await engine.run()
      engine.unwindToDepth(0)
      await Promise.all(pending)
      expect(new Set(refused)).toEqual(new Set([`EngineError: ${refusal(name)}`]))
      expect(expected).toEqual(
        expect.arrayContaining(['engine:init', 'workflow:push', 'workflow:pop', 'stack:unwind', 'execution:invalidate', 'engine:suspend']),
      )
    },
  )

  test('can be read at any time', async () => {
    const engine = engineOf(
      [child, main],
      agentOf({
        ...script,
        a: async (it) => {
          expect([
            engine.currentNode()?.id,
            engine.status(),
            engine.validEdges().length,
            engine.stack(),
            engine.snapshot().currentNodeId,
          ]).toEqual(['a', 'running', 1, [], 'a'])
          return onward(it)
        },
      }),
    )
    await engine.init('main')
    expect(await engine.run()).toEqual({ status: 'completed' })
  })
})

describe('a handler that throws (D6)', () => {
  const EVENTS = [
    'node:exit',
    'edge:traverse',
    'blackboard:write',
    'node:enter',
    'workflow:push',
    'workflow:pop',
    'engine:complete',
    'execution:record',
  ] as const

  // proves: workflow D6
  test.each(EVENTS)('at %s: the transition is finished and told to everybody, then the error comes out of step', async (event) => {
    const calm = engineOf([child, main], agentOf(script))
    const expected = log(calm)
    await calm.init('main')
    await stepAll(calm)

    const engine = engineOf([child, main], agentOf(script))
    let broken = false
    engine.on(event, () => {
      if (broken) throw new Error(`handler of ${event}`)
    })
    const events = log(engine)
    await engine.init('main')
    broken = true
    let thrown = 0
    while (engine.status() === 'running')
      await engine.step().catch((error: unknown) => {
        const errors: unknown[] = error instanceof AggregateError ? error.errors : [error]
        for (const one of errors) expect(one).toEqual(new Error(`handler of ${event}`))
        thrown++
      })
    expect(thrown).toBeGreaterThan(0)
    expect([events, engine.blackboard().keys()]).toEqual([expected, calm.blackboard().keys()])
  })

  // proves: workflow D12
  test.each(EVENTS)('at %s: run ends with it, in a state from which it goes on', async (event) => {
    const engine = engineOf([child, main], agentOf(script))
    let broken = false
    engine.on(event, () => {
      if (broken) throw new Error('handler')
    })
    await engine.init('main')
    broken = true
    let errors = 0
    for (;;) {
      const result = await engine.run()
      if (result.status !== 'error') break
      expect(result.error.error).toBeInstanceOf(Error)
      expect(result.error.nodeId).toBe(engine.currentNode()?.id)
      if (engine.status() === 'completed') break
      errors++
    }
    expect(errors + (event === 'engine:complete' ? 1 : 0)).toBeGreaterThan(0)
    expect([engine.status(), engine.blackboard().keys()]).toEqual(['completed', ['x', 'got', 'end']])
  })

  test('is thrown together with other errors, and only once', async () => {
    const engine = engineOf([child], agentOf())
    await engine.init('child')
    engine.on('engine:complete', () => {
      throw new Error('one')
    })
    engine.on('engine:complete', () => {
      throw new Error('two')
    })
    const thrown = await caught(() => engine.step())
    expect(thrown).toBeInstanceOf(AggregateError)
    expect((thrown as AggregateError).errors).toEqual([new Error('one'), new Error('two')])
    await engine.init('child')
    await caught(() => engine.step())
    expect(engine.status()).toBe('completed')
  })

  test('in init, push, pop and unwind is thrown after the change', async () => {
    const engine = engineOf([child, main], agentOf({ c: async () => ({ type: 'suspend', reason: 'no' }) }))
    const events = log(engine)
    engine.onAny((event) => {
      throw new Error(event)
    })
    expect(await caught(() => engine.init('main'))).toBeInstanceOf(AggregateError)
    expect([engine.status(), engine.currentNode()?.id]).toEqual(['running', 'a'])
    expect(await caught(() => engine.pushWorkflow('child'))).toBeInstanceOf(AggregateError)
    expect(engine.stack()).toHaveLength(1)
    expect(await caught(() => engine.popWorkflow())).toBeInstanceOf(AggregateError)
    expect(engine.stack()).toHaveLength(0)
    expect(await caught(() => engine.pushWorkflow('child'))).toBeInstanceOf(AggregateError)
    expect(await caught(() => engine.step())).toEqual(new Error('engine:suspend'))
    expect(await caught(() => engine.unwindToDepth(0))).toBeInstanceOf(AggregateError)
    expect(engine.status()).toBe('suspended')
    expect(events.slice(-2)).toEqual(['invalidate 1', 'unwind to 0 main/a: child/c()'])
  })
})

describe('subscriptions', () => {
  // proves: workflow 4.4a, workflow r16a
  test('are called in the order of registration, both those of one event and those of all', async () => {
    const engine = engineOf([child])
    const calls: string[] = []
    engine.onAny((event) => calls.push(`any 1 ${event}`))
    engine.on('node:enter', () => calls.push('enter 1'))
    engine.onAny((event) => calls.push(`any 2 ${event}`))
    engine.on('node:enter', () => calls.push('enter 2'))
    await engine.init('child')
    expect(calls).toEqual(['any 1 engine:init', 'any 2 engine:init', 'any 1 node:enter', 'enter 1', 'any 2 node:enter', 'enter 2'])
  })

  // proves: workflow r16a
  test('of the same function twice run twice, and are removed one by one', async () => {
    const engine = engineOf([child])
    let calls = 0
    const handler = () => void calls++
    const off = engine.on('node:enter', handler)
    engine.on('node:enter', handler)
    await engine.init('child')
    expect(calls).toBe(2)
    off()
    off()
    await engine.init('child')
    expect(calls).toBe(3)
  })

  // proves: workflow r16b
  test('added during an event get this event; a removal skips no other handler', async () => {
    const engine = engineOf([child])
    const calls: string[] = []
    const off = engine.on('node:enter', () => {
      calls.push('first')
      off()
      engine.on('node:enter', () => calls.push('added'))
    })
    engine.on('node:enter', () => calls.push('second'))
    await engine.init('child')
    expect(calls).toEqual(['first', 'second', 'added'])
    calls.length = 0
    await engine.init('child')
    expect(calls).toEqual(['second', 'added'])
  })

  test('added in the middle of a run get later events, and no earlier ones', async () => {
    const lines: string[] = []
    const engine: ReflexEngine = engineOf(
      [child, main],
      agentOf({
        ...script,
        c: async (it) => {
          if (lines.length === 0) engine.onAny((event) => lines.push(event))
          return onward(it, { made: 1 })
        },
      }),
    )
    await engine.init('main')
    await engine.run()
    expect(lines).toEqual([
      'blackboard:write',
      'blackboard:write',
      'workflow:pop',
      'node:enter',
      'node:exit',
      'edge:traverse',
      'node:enter',
      'blackboard:write',
      'engine:complete',
    ])
  })

  test('added after unwatched calls do not get their events', async () => {
    const engine = engineOf([child, main], agentOf({ ...script, z: async () => ({ type: 'suspend', reason: 'stop' }) }))
    await engine.init('main')
    await engine.run()
    const events = log(engine)
    engine.pushWorkflow('child')
    expect(events).toEqual(['record main/z > child active', 'push child on main/z(x=1 main/a@0, got=1 main/go@0)', 'enter child/c'])
    expect(engine.executionTree().records).toHaveLength(2)
  })

  // proves: workflow D4
  test('have the same number after every run as before (D4)', async () => {
    const engine = engineOf(
      [child],
      agentOf({
        c: async () => {
          throw new Error('no')
        },
      }),
    )
    await engine.init('child')
    let errors = 0
    const off = engine.on('engine:error', () => void errors++)
    for (let i = 0; i < 3; i++) await engine.run()
    expect(errors).toBe(3)
    off()
    await engine.run()
    expect(errors).toBe(3)
  })
})
