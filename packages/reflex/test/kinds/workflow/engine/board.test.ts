import { describe, expect, test } from 'vitest'
import { virtualHost } from '../../../../src/kernel/ports/virtual-host.ts'
import { type BlackboardEntry, type DecisionContext, ScopedBlackboard } from '../../../../src/kinds/workflow/index.ts'
import { agentOf, boardText, engineOf, flow, messageOf, onward, writing } from './kit.ts'

const child = flow('child', { c: {}, d: {} }, [['c', 'd']])
const main = flow('main', { a: {}, go: { calls: 'child', map: { got: 'made' } }, z: {} }, [
  ['a', 'go'],
  ['go', 'z'],
])
const script = { a: writing({ x: 'old', y: 1 }), c: writing({ x: 'inner', made: 1 }), d: writing({ x: 'last' }) }

describe('the board', () => {
  // proves: workflow 2.7b, workflow 2.7c, workflow 2.7d, workflow 2.7i, workflow 2.11a, workflow 2.11b, workflow 2.11c, workflow 2.11d
  // proves: workflow 2.11e, workflow 2.11f, workflow 2.11g, workflow 3.2f, workflow 5b, workflow r8a, workflow r8b, workflow r8c
  // proves: workflow C16
  test('reads the nearest scope first, the latest entry within it', async () => {
    const engine = engineOf([child, main], agentOf(script))
    await engine.init('main', { blackboard: [{ key: 'x', value: 'seed' }] })
    for (let i = 0; i < 3; i++) await engine.step()
    const board = engine.blackboard()
    expect(board.get('x')).toBe('inner')
    expect([board.has('y'), board.has('z'), board.get('z')]).toEqual([true, false, undefined])
    expect(boardText(board.getAll('x'))).toBe('x="inner" child/c@1, x="seed" main/__init__@0, x="old" main/a@0')
    expect(boardText(board.entries())).toBe(
      'x="inner" child/c@1, made=1 child/c@1, x="seed" main/__init__@0, x="old" main/a@0, y=1 main/a@0',
    )
    expect(board.keys()).toEqual(['x', 'made', 'y'])
    expect(boardText(board.local())).toBe('x="inner" child/c@1, made=1 child/c@1')
  })

  // proves: workflow 2.7k
  test('has values of null, false, 0 and empty text', async () => {
    const engine = engineOf([child], agentOf())
    await engine.init('child', { blackboard: [null, false, 0, ''].map((value, i) => ({ key: `k${i}`, value })) })
    expect([0, 1, 2, 3].map((i) => [engine.blackboard().has(`k${i}`), engine.blackboard().get(`k${i}`)])).toEqual([
      [true, null],
      [true, false],
      [true, 0],
      [true, ''],
    ])
  })

  test('has keys with the names of Object.prototype like any others', async () => {
    const engine = engineOf(
      [child],
      agentOf({
        c: async (it) => ({ type: 'advance', edge: 'c-d', writes: [{ key: '__proto__', value: it.blackboard.has('toString') }] }),
      }),
    )
    await engine.init('child')
    await engine.run()
    expect([engine.blackboard().get('__proto__'), engine.blackboard().has('constructor')]).toEqual([false, false])
  })

  // proves: workflow r8e
  test('has one time for all writes of a decision', async () => {
    const host = virtualHost()
    const engine = engineOf([child], agentOf(script), { host })
    await engine.init('child')
    const start = host.now()
    await host.advance(500)
    await engine.step()
    expect(
      engine
        .blackboard()
        .entries()
        .map(({ timestamp }) => timestamp),
    ).toEqual([start + 500, start + 500])
  })

  // proves: workflow 2.7h, workflow 5b, workflow r8a
  test('finds many entries as fast as few, also by missing keys', async () => {
    const many = Array.from({ length: 500 }, (_, i) => ({ key: `k${i % 250}`, value: i }))
    const engine = engineOf([child], agentOf())
    await engine.init('child', { blackboard: many })
    const board = engine.blackboard()
    expect([
      board.get('k7'),
      board.get('k249'),
      board.has('no'),
      board.getAll('k3').map(({ value }) => value),
      board.keys().length,
    ]).toEqual([257, 499, false, [3, 253], 250])
  })
})

describe('a cursor', () => {
  // proves: workflow r8h, workflow r8j
  test('reads on in the active scope, including seeds and returned values', async () => {
    const engine = engineOf([child, main], agentOf(script))
    await engine.init('main', { blackboard: [{ key: 's', value: 0 }] })
    const first = engine.currentBlackboard()
    expect([first?.cursor(), first?.entriesFrom(1)]).toEqual([1, [[], 1]])
    await engine.step()
    const [entries, next] = first?.entriesFrom(1) ?? [[], -1]
    expect([boardText(entries), next]).toEqual(['x="old" main/a@0, y=1 main/a@0', 3])
    await engine.step()
    expect([engine.currentBlackboard()?.cursor(), engine.currentBlackboard()?.entriesFrom(0)]).toEqual([0, [[], 0]])
    await engine.run()
    expect(boardText(engine.currentBlackboard()?.entriesFrom(next)[0] ?? [])).toBe('got=1 main/go@0')
  })

  // proves: workflow r8i
  test.each([
    [-5, 3, 3],
    [0, 3, 3],
    [2, 1, 3],
    [3, 0, 3],
    [99, 0, 3],
    [Number.NaN, 0, 3],
  ])('at %d gives %d entries and %d', async (cursor, count, next) => {
    const engine = engineOf([child])
    await engine.init('child', { blackboard: ['a', 'b', 'c'].map((key) => ({ key, value: 1 })) })
    const [entries, end] = engine.currentBlackboard()?.entriesFrom(cursor) ?? []
    expect([entries?.length, end]).toEqual([count, next])
  })

  // proves: workflow r8j, workflow r8k
  test('used on another scope loses writes; the events do not', async () => {
    const carried: BlackboardEntry[] = []
    const streamed: BlackboardEntry[] = []
    const engine = engineOf([child, main], agentOf(script))
    engine.on('blackboard:write', ({ entries }) => streamed.push(...entries))
    await engine.init('main')
    let cursor = 0
    while (engine.status() === 'running') {
      await engine.step()
      const [entries, next] = engine.currentBlackboard()?.entriesFrom(cursor) ?? [[], 0]
      carried.push(...entries)
      cursor = next
    }
    expect(streamed.map(({ key }) => key)).toEqual(['x', 'y', 'x', 'made', 'x', 'got'])
    expect(carried.length).toBeLessThan(streamed.length)
  })
})

describe('input', () => {
  const pair = flow('pair', { a: {}, b: {} }, [['a', 'b']])
  const ask = { text: 'Refund?', due: 1000, otherwise: { verdict: 'NO' } }

  test('reaches only the agent of the suspended node, and only once', async () => {
    const inputs: unknown[] = []
    const agent = agentOf({
      a: async (it) => (inputs.push(it.input), it.input === undefined ? { type: 'suspend', reason: 'q' } : onward(it)),
      b: async (it) => (inputs.push(it.input), onward(it)),
    })
    const engine = engineOf([pair], agent)
    await engine.init('pair')
    await engine.run()
    const own = { list: [1] }
    expect(await engine.resume(own)).toEqual({ status: 'completed' })
    expect(inputs).toEqual([undefined, { list: [1] }, undefined])
    expect(inputs[1]).not.toBe(own)
  })

  test('may be false, 0 or empty; null is not an input and asks again', async () => {
    for (const input of [false, 0, '']) {
      const agent = agentOf({
        a: async (it) => (it.input === undefined ? { type: 'suspend', reason: 'q' } : onward(it, { input: it.input })),
      })
      const engine = engineOf([pair], agent)
      await engine.init('pair')
      await engine.run()
      expect(await engine.resume(null)).toEqual({ status: 'suspended', reason: 'q' })
      expect(await engine.resume(input)).toEqual({ status: 'completed' })
      expect(engine.blackboard().get('input')).toBe(input)
    }
  })

  test('is the default answer of the question if no answer arrived in time, at the next step', async () => {
    const host = virtualHost()
    const agent = agentOf({
      a: async (it) => (it.input === undefined ? { type: 'suspend', reason: 'q', ask } : onward(it, { input: it.input })),
    })
    const engine = engineOf([pair], agent, { host })
    await engine.init('pair')
    await engine.run()
    await host.advance(999)
    expect(await engine.run()).toMatchObject({ status: 'suspended' })
    await host.advance(1000)
    expect([engine.status(), engine.snapshot().suspension, host.nextDue]).toEqual([
      'suspended',
      expect.objectContaining({ name: 'a' }),
      undefined,
    ])
    expect(await engine.step()).toMatchObject({ status: 'advanced' })
    expect(engine.blackboard().get('input')).toEqual({ verdict: 'NO' })
  })

  test('is used even if it arrives late', async () => {
    const host = virtualHost()
    const agent = agentOf({
      a: async (it) => (it.input === undefined ? { type: 'suspend', reason: 'q', ask } : onward(it, { input: it.input })),
    })
    const engine = engineOf([pair], agent, { host })
    await engine.init('pair')
    await engine.run()
    await host.advance(5000)
    expect(await engine.resume('YES')).toEqual({ status: 'completed' })
    expect(engine.blackboard().get('input')).toBe('YES')
  })

  // proves: workflow 1.4h
  test('is not needed for a suspension without a question, which can be stepped repeatedly', async () => {
    let ready = false
    const engine = engineOf([pair], agentOf({ a: async (it) => (ready ? onward(it) : { type: 'suspend', reason: 'not yet' }) }))
    await engine.init('pair')
    for (let i = 0; i < 3; i++) expect(await engine.step()).toEqual({ status: 'suspended', reason: 'not yet' })
    expect(await messageOf(() => Promise.reject(new Error('kept')))).toBe('Error: kept')
    ready = true
    expect(await engine.run()).toEqual({ status: 'completed' })
  })
})

describe('guards', () => {
  // proves: workflow r4c, workflow r9b, workflow C15
  test('compare deeply and by value, and an absent key equals nothing (C15), before and after a restart', async () => {
    const cases: [value: unknown, guard: unknown, equal: boolean][] = [
      [5, 5.0, true],
      ['1', 1, false],
      [{ a: [1, { b: null }] }, { a: [1, { b: null }] }, true],
      [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
      [[1, 2], [2, 1], false],
      [null, null, true],
      [0, -0, true],
    ]
    for (const [value, wanted, equal] of cases) {
      const gate = flow('gate', { a: {}, yes: {}, no: {} }, [
        ['a', 'yes', { type: 'equals', key: 'k', value: wanted }],
        ['a', 'no', { type: 'not-equals', key: 'k', value: wanted }],
      ])
      const engine = engineOf([gate])
      await engine.init('gate', { blackboard: [{ key: 'k', value }] })
      expect(engine.validEdges().map(({ to }) => to)).toEqual([equal ? 'yes' : 'no'])
      engine.restore(engine.snapshot())
      expect(engine.validEdges().map(({ to }) => to)).toEqual([equal ? 'yes' : 'no'])
    }
    const absent = flow('absent', { a: {}, b: {} }, [['a', 'b', { type: 'equals', key: 'never', value: undefined }]])
    const engine = engineOf([absent])
    await engine.init('absent')
    expect(engine.validEdges()).toEqual([])
  })

  // proves: workflow 2.6b, workflow r5.2a
  test('are evaluated in the order of the edges, and every open edge is offered', async () => {
    const order: string[] = []
    const gate = flow(
      'gate',
      { a: {}, b: {}, c: {}, d: {} },
      ['b', 'c', 'd'].map((to) => ['a', to, { type: 'custom', evaluate: () => (order.push(to), to !== 'c') }] as const),
    )
    const agent = agentOf()
    const engine = engineOf([gate], agent)
    await engine.init('gate')
    await engine.step()
    expect(order.slice(0, 3)).toEqual(['b', 'c', 'd'])
    expect(agent.asked[0]?.validEdges.map(({ to }) => to)).toEqual(['b', 'd'])
  })
})

describe('a board without an engine', () => {
  const source = { workflowId: 'w', nodeId: 'n', stackDepth: 0 }

  test('is read from a cursor, like that of an engine', () => {
    const board = new ScopedBlackboard()
    expect([board.cursor(), board.entriesFrom(0)]).toEqual([0, [[], 0]])
    board.append([{ key: 'a', value: 1 }], source)
    const seen = board.cursor()
    const [second] = board.append([{ key: 'b', value: 2 }], source)
    expect([seen, board.entriesFrom(seen), board.entriesFrom(2), board.entriesFrom(9)]).toEqual([1, [[second], 2], [[], 2], [[], 2]])
    expect(board.entriesFrom(-1)[0].map(({ key }) => key)).toEqual(['a', 'b'])
  })
})

describe('frequent reads', () => {
  test('create entries once, for any reader and any number of reads', async () => {
    const seen: BlackboardEntry[][] = []
    const look = (it: DecisionContext): unknown => {
      const { blackboard } = it
      seen.push([...blackboard.local(), ...blackboard.entries(), ...blackboard.getAll('x')])
      return onward(it)
    }
    const engine = engineOf([flow('main', { a: {}, b: {} }, [['a', 'b']])], agentOf({ a: look, b: look }))
    await engine.init('main', { blackboard: [{ key: 'x', value: 1 }] })
    await engine.run()
    const [entry] = engine.blackboard().local()
    expect(seen.map((entries) => entries.length)).toEqual([3, 3])
    for (const one of [...seen.flat(), engine.currentBlackboard()?.entriesFrom(0)[0][0]]) expect(one).toBe(entry)
  })

  // proves: workflow r8d
  test('return lists that the callers own', async () => {
    const engine = engineOf([flow('main', { a: {} }, [])])
    await engine.init('main', { blackboard: [{ key: 'x', value: 1 }] })
    for (const read of [() => engine.blackboard().local(), () => engine.blackboard().entries(), () => engine.blackboard().getAll('x')]) {
      read().length = 0
      expect(read()).toHaveLength(1)
    }
  })

  test('create each caller on the stack once, at any depth', async () => {
    const depth = 300
    const frames = new Set<unknown>()
    let deepest = 0
    const agent = agentOf({
      a: (it) => {
        for (const frame of it.stack) frames.add(frame)
        deepest = Math.max(deepest, it.stack.length)
        const edge = it.stack.length < depth ? 'a-go' : 'a-end'
        return { type: 'advance', edge }
      },
    })
    const recursive = flow('rec', { a: {}, go: { calls: 'rec' }, end: {} }, [
      ['a', 'go'],
      ['a', 'end'],
      ['go', 'end'],
    ])
    const engine = engineOf([recursive], agent)
    await engine.init('rec')
    expect(await engine.run()).toEqual({ status: 'completed' })
    expect([deepest, frames.size]).toEqual([depth, depth])
  })
})

describe('the values of a write', () => {
  // proves: workflow d-json
  test('leave out an undefined property, and may have the empty key', async () => {
    const agent = agentOf({ a: writing({ order: { total: 84, note: undefined }, '': 'empty' }) })
    const engine = engineOf(
      [flow('child', { c: {} }, []), flow('main', { a: {}, go: { calls: 'child', map: { out: '' } } }, [['a', 'go']])],
      agent,
    )
    await engine.init('main', { blackboard: [{ key: '', value: 'seed' }] })
    await engine.step()
    const read = engine.blackboard()
    expect([read.get('order'), read.get(''), read.getAll('').length]).toStrictEqual([{ total: 84 }, 'empty', 2])
    engine.pushWorkflow('child', { inputMap: [{ from: '', to: '' }], returnMap: [{ parentKey: '', childKey: '' }] })
    expect(
      engine
        .blackboard()
        .local()
        .map(({ key, value }) => [key, value]),
    ).toEqual([['', 'empty']])
    expect(await engine.run()).toEqual({ status: 'completed' })
  })
})
