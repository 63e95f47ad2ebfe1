import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { setInternal } from '../../../../src/kinds/tree/board/internal-writes.ts'
import { BlackboardKeyError, BlackboardSizeExceededError, BlackboardValidationError } from '../../../../src/kinds/tree/board/errors.ts'
import { entryBytes } from '../../../../src/kinds/tree/board/scope-values.ts'
import { scopeOf, TypedBlackboard } from '../../../../src/kinds/tree/board/typed-blackboard.ts'
import { valuePreview } from '../../../../src/kinds/tree/board/value-text.ts'
import { boardOf, faultOf } from './board-fixtures.ts'

describe('reads of a blackboard', () => {
  // proves: tree 107
  test('give the nearest value, the fallback, null for a registered key, and R1211 for others', () => {
    const { board } = boardOf({ turn: 'int' })
    expect(board.get('turn')).toBeNull()
    expect(board.get('turn', 'int', 7)).toBe(7)
    expect(board.get('other', undefined, 'x')).toBe('x')
    const fault = faultOf(() => board.get('trun'))
    expect(fault).toBeInstanceOf(BlackboardKeyError)
    expect(fault).toMatchObject({ code: 'R1211', rule: 'E1001', data: { key: 'trun', available_keys: ['turn'] } })
    expect(fault.message).toContain('did you mean "turn"?')
    board.set('turn', 1)
    const child = board.createChildScope('child')
    expect(child.get('turn', 'int')).toBe(1)
    child.set('turn', 2)
    expect([child.get('turn'), board.get('turn')]).toEqual([2, 1])
  })

  test('give a stored null although there is a fallback', () => {
    const { board } = boardOf({ any: 'any' })
    board.set('any', null)
    const child = board.createChildScope('child', { staged: true })
    expect(child.get('any', 'any', 'fallback')).toBeNull()
    child.setGlobal('any', null)
    board.set('any', 1)
    expect(child.get('any')).toBeNull()
  })

  test('expect the registered schema (C45)', () => {
    const shape = z.object({ a: z.number() })
    const { board } = boardOf({ n: 'integer', o: shape, j: { type: 'string' } })
    board.set('n', 3)
    const [n, o]: [number | null, { a: number } | 'none'] = [board.get('n', 'int'), board.get('o', shape, 'none')]
    expect([n, o]).toEqual([3, 'none'])
    expect(board.get('o', shape)).toBeNull()
    expect(board.get('j', { type: 'string' })).toBeNull()
    const fault = faultOf(() => board.get('n', 'str'))
    expect(fault).toMatchObject({ code: 'R1212', rule: 'E1002', data: { key: 'n', expected_schema: 'str', actual_type: 'int' } })
    expect(() => board.get('o', z.object({ a: z.number() }))).toThrow(BlackboardValidationError)
  })

  // proves: tree 109
  test('of has are not tracked, and delete reveals the outer value', () => {
    const { board } = boardOf({ k: 'str', l: 'str' })
    board.set('k', 'outer')
    const child = board.createChildScope('child')
    expect(child.has('k')).toBe(true)
    expect([...child.getReads()]).toEqual([])
    expect(child.delete('k')).toBe(false)
    expect(board.get('k')).toBe('outer')
    child.set('k', 'inner')
    expect(child.delete('k')).toBe(true)
    expect([child.get('k'), child.has('l')]).toEqual(['outer', false])
    expect([...child.getReads()]).toEqual(['k'])
    expect([...child.getWrites()]).toEqual(['k'])
    child.clearAccessTracking()
    expect(child.getReads().size + child.getWrites().size).toBe(0)
  })

  // proves: tree 91
  test('and writes never share a value that can be changed', () => {
    const { board } = boardOf({ list: 'list' })
    const given = [{ a: 1 }]
    board.set('list', given)
    given[0] = { a: 2 }
    const read = board.get('list', 'list') as { a: number }[]
    expect(read).toEqual([{ a: 1 }])
    expect(() => read.push({ a: 3 })).toThrow(TypeError)
    expect(() => Object.assign(read[0] ?? {}, { a: 3 })).toThrow(TypeError)
    expect(Object.isFrozen(board.snapshot())).toBe(true)
    expect(board.snapshot()).toEqual({ list: [{ a: 1 }] })
  })
})

describe('writes of a blackboard', () => {
  // proves: tree 21, tree 23, tree UB-04
  test('that a schema refuses change nothing, and earlier ones stay', () => {
    const { board, events } = boardOf({ n: 'int', other: 'str' })
    board.set('n', 1)
    board.set('other', 'kept')
    const fault = faultOf(() => board.set('n', 'abc'))
    expect(fault).toBeInstanceOf(BlackboardValidationError)
    expect(board.snapshot()).toEqual({ n: 1, other: 'kept' })
    expect(board.trySet('n', 1.5)).toMatchObject({ ok: false, error: { code: 'R1212' } })
    expect(board.trySet('n', 2)).toEqual({ ok: true })
    expect(events.map(({ type }) => type)).toEqual(['blackboard.validation.failed', 'blackboard.validation.failed'])
  })

  // proves: tree 22
  test('that a schema refuses are reported with the key, the schema, the type and a short preview', () => {
    const { board, events } = boardOf({ n: 'int' })
    const fault = faultOf(() => board.set('n', { text: 'x'.repeat(5000) }))
    expect(fault).toMatchObject({
      rule: 'E1002',
      data: { key: 'n', expected_schema: 'int', actual_type: 'dict', validation_error: 'must be a whole number' },
    })
    expect(fault.data?.['value_preview']).toHaveLength(100)
    expect(events).toMatchObject([
      {
        type: 'blackboard.validation.failed',
        severity: 'error',
        payload: { error_code: 'E1002', key: 'n', operation: 'set', scope_name: 'root' },
      },
    ])
  })

  // proves: tree 25
  test.each([
    ['a bigint', 1n],
    ['a symbol', Symbol('s')],
    ['a function', () => 1],
    ['a date', new Date(0)],
    ['an infinite number', Number.POSITIVE_INFINITY],
    [
      'a getter that throws',
      Object.defineProperty({}, 'x', {
        enumerable: true,
        get: () => {
          throw new Error('no')
        },
      }),
    ],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('no')
          },
          getPrototypeOf: () => {
            throw new Error('no')
          },
        },
      ),
    ],
    ['a huge text', 'x'.repeat(70_000_000)],
    ['undefined', undefined],
  ])('that are no JSON are refused without a crash of the reporter: %s', (_, value) => {
    const { board } = boardOf({ any: 'any' })
    const fault = faultOf(() => board.set('any', value))
    expect(['R1212', 'R1214']).toContain(fault.code)
    expect(valuePreview(value).length).toBeLessThanOrEqual(100)
    const cycle: unknown[] = []
    cycle.push(cycle)
    expect(faultOf(() => board.set('any', cycle)).code).toBe('R1212')
    expect(board.getSizeBytes()).toBe(0)
  })

  test('are checked in order: reserved, unregistered, schema, size', () => {
    const { board, events } = boardOf({ n: 'str' }, { limit: 20 })
    const big = 'x'.repeat(100)
    const codes = [() => board.set('_n', 1), () => board.set('m', 1), () => board.set('n', [big]), () => board.set('n', big)].map(
      (call) => faultOf(call).rule,
    )
    expect(codes).toEqual(['E1003', 'E1001', 'E1002', 'E1004'])
    expect(events.map(({ type }) => type)).toEqual([
      'blackboard.key.reserved',
      'blackboard.key.unregistered',
      'blackboard.validation.failed',
      'blackboard.size.exceeded',
    ])
  })

  test('to the global scope have the same checks, and are tracked in the scope of the writer only if they succeed', () => {
    const { board } = boardOf({ n: 'int' })
    const child = board.createChildScope('a').createChildScope('b')
    expect(() => child.setGlobal('n', 'x')).toThrow(BlackboardValidationError)
    expect(() => child.setGlobal('m', 1)).toThrow(BlackboardKeyError)
    expect([...child.getWrites()]).toEqual([])
    child.setGlobal('n', 5)
    expect([...child.getWrites()]).toEqual(['n'])
    expect([board.get('n'), [...board.getWrites()]]).toEqual([5, []])
    child.register('own', 'str')
    child.setGlobal('own', 'x')
    expect(board.get('own', 'str')).toBe('x')
  })

  test('store what a validator returns', () => {
    const { board } = boardOf({ t: z.object({ when: z.string().transform((text) => text.length) }) })
    board.set('t', { when: 'abcd' })
    expect(board.get('t')).toEqual({ when: 4 })
  })
})

describe('the keys of a blackboard', () => {
  // proves: tree 73, tree SEC-05
  test('that are reserved can be read, and only the runtime writes them', () => {
    const { board } = boardOf({ n: 'int' })
    for (const call of [
      () => board.set('_x', 1),
      () => board.setGlobal('_x', 1),
      () => board.register('_x', 'int'),
      () => board.delete('_x'),
      () => board.createChildScope('c').set('_x', 1),
    ])
      expect(faultOf(call)).toMatchObject({ code: 'R1213', rule: 'E1003', data: { key: '_x' } })
    expect(board.trySet('_x', 1)).toMatchObject({ ok: false, error: { code: 'R1213' } })
    expect([board.snapshot(), board.get('_x')]).toEqual([{}, null])
    setInternal(scopeOf(board), '_x', [1])
    expect(board.createChildScope('c').get('_x')).toEqual([1])
    expect(board.snapshot()).toEqual({ _x: [1] })
    board.clear()
    expect(board.get('_x')).toEqual([1])
    expect(() => setInternal(scopeOf(board), 'x', 1)).toThrow(TypeError)
  })

  // proves: tree 74, tree TS-02
  test('cannot be written past the checks: a blackboard has no property that leads to its scope', () => {
    const { board } = boardOf({ n: 'int' })
    expect(Object.getOwnPropertySymbols(board)).toEqual([])
    expect(Object.getOwnPropertyNames(board)).toEqual([])
    const methods = Object.getOwnPropertyNames(TypedBlackboard.prototype)
    expect(methods.filter((name) => /internal|frame|scope$/i.test(name))).toEqual(['createChildScope'])
    expect(() => scopeOf({} as never)).toThrow(TypeError)
  })

  // proves: tree 108
  test('are registered all, or none if one is wrong', () => {
    const { board } = boardOf({})
    for (const bad of [
      { good: 'int', _bad: 'int' },
      { good: 'int', bad: 'itn' },
      { good: 'int', '': 'int' },
      { good: 'int', bad: undefined as never },
    ]) {
      faultOf(() => board.registerMany(bad))
      expect(() => board.set('good', 1)).toThrow(BlackboardKeyError)
    }
    board.registerMany({ good: 'int', ['k'.repeat(256)]: 'str' })
    board.set('good', 1)
    expect(faultOf(() => board.register('k'.repeat(257), 'str')).code).toBe('R1090')
  })

  test('registered later in an outer scope are seen further in, and registering changes no value', () => {
    const { board } = boardOf({})
    const child = board.createChildScope('child')
    board.register('late', 'int')
    child.set('late', 1)
    board.register('late', 'int')
    child.register('late', 'str')
    expect([child.get('late'), child.trySet('late', 2).ok, child.trySet('late', 'x').ok]).toEqual([1, false, true])
    expect(board.trySet('late', 2).ok).toBe(true)
  })

  test('with names of object members are keys like others', () => {
    const { board } = boardOf({ constructor: 'int', toString: 'any' })
    expect([board.get('constructor'), board.has('toString')]).toEqual([null, false])
    board.set('constructor', 1)
    expect(board.snapshot()).toEqual({ constructor: 1 })
  })
})

describe('the size of a blackboard', () => {
  // proves: tree 66, tree SEC-03
  test('has a limit: a larger write is refused and changes nothing', () => {
    const { board, events } = boardOf({ k: 'str' }, { limit: 100 })
    board.set('k', 'old')
    const before = board.getSizeBytes()
    const fault = faultOf(() => board.set('k', 'x'.repeat(200)))
    expect(fault).toBeInstanceOf(BlackboardSizeExceededError)
    expect(fault).toMatchObject({ rule: 'E1004', data: { key_being_written: 'k', value_size_bytes: 203 } })
    expect([board.get('k'), board.getSizeBytes()]).toEqual(['old', before])
    expect(events).toMatchObject([{ type: 'blackboard.size.exceeded', severity: 'error', payload: { key: 'k' } }])
  })

  // proves: tree 67
  test('shrinks when a value is replaced by a smaller one, deleted or cleared', () => {
    const { board } = boardOf({ a: 'str', b: 'str' }, { limit: 60 })
    board.set('a', 'x'.repeat(50))
    expect(board.trySet('b', 'y'.repeat(20)).ok).toBe(false)
    board.set('a', 'x')
    expect(board.trySet('b', 'y'.repeat(50)).ok).toBe(true)
    board.delete('b')
    const child = board.createChildScope('child')
    child.set('b', 'z'.repeat(50))
    expect(board.trySet('b', 'y'.repeat(50)).ok).toBe(false)
    child.clear()
    expect(board.trySet('b', 'y'.repeat(50)).ok).toBe(true)
  })

  // proves: tree 68
  test('is one for all scopes', () => {
    const { board } = boardOf({ k: 'str' }, { limit: 1000 })
    const stored = Array.from({ length: 100 }, (_, i) => board.createChildScope(`c${i}`).trySet('k', 'x'.repeat(97)).ok)
    expect(stored.filter(Boolean)).toHaveLength(10)
    expect(board.getSizeBytes()).toBe(1000)
  })

  // proves: tree 69
  test('is limited to 104,857,600 bytes by default', () => {
    const board = new TypedBlackboard()
    expect(scopeOf(board).family.limit).toBe(104_857_600)
    board.register('k', 'str')
    const fault = faultOf(() => board.set('k', 'x'.repeat(70_000_000)))
    expect(fault.data).toMatchObject({ limit_mb: 100 })
  })

  test('is reported once when it reaches 80 percent of the limit, and again after it was below', () => {
    const { board, events } = boardOf({ a: 'str', b: 'str' }, { limit: 100 })
    board.set('a', 'x'.repeat(76))
    expect(events).toEqual([])
    board.set('a', 'x'.repeat(77))
    board.set('b', 'x')
    expect(events).toMatchObject([{ type: 'blackboard.size.warning', severity: 'warning', payload: { percentage: 80 } }])
    board.delete('a')
    board.set('a', 'x'.repeat(80))
    expect(events).toHaveLength(2)
  })

  test('of one key can have a limit of its own', () => {
    const { board } = boardOf({})
    board.register('k', 'str', { maxBytes: 10 })
    expect(board.trySet('k', '1234567').ok).toBe(true)
    expect(faultOf(() => board.set('k', '12345678'))).toMatchObject({ rule: 'E1004', data: { key_limit_bytes: 10 } })
  })

  test('counts values of the runtime, which are shortened and not refused', () => {
    const { board } = boardOf({ k: 'str' }, { limit: 3000 })
    board.set('k', 'x'.repeat(2900))
    const trace = Array.from({ length: 100 }, (_, i) => ({ node_id: `n${i}`, reason: 'r'.repeat(100) }))
    setInternal(scopeOf(board), '_failure_trace', trace)
    const kept = board.get('_failure_trace') as { node_id: string }[]
    expect(kept.length).toBeGreaterThan(3)
    expect(kept.at(-1)?.node_id).toBe('n99')
    expect(entryBytes('_failure_trace', kept as never)).toBeLessThan(2000)
    setInternal(scopeOf(board), '_failure_reason', 'r'.repeat(1_000_000))
    expect(board.get('_failure_reason')).toHaveLength(1000)
    setInternal(scopeOf(board), '_tool_error', new Map())
    expect(board.get('_tool_error')).toBe('Map {}')
    expect([2901, 2899].map((length) => board.trySet('k', 'x'.repeat(length)).ok)).toEqual([false, true])
  })
})

describe('the scopes of a blackboard', () => {
  test('need a name and a blackboard as parent, and may have equal names', () => {
    expect(faultOf(() => new TypedBlackboard(undefined, '')).code).toBe('R1090')
    expect(faultOf(() => new TypedBlackboard({} as never)).code).toBe('R1090')
    expect(faultOf(() => new TypedBlackboard(new TypedBlackboard(), 'c', { limit: 1 })).code).toBe('R1090')
    const inner = new TypedBlackboard().createChildScope('same').createChildScope('same')
    expect(inner.debugInfo()).toEqual({
      scope_name: 'same',
      parent_scope: 'same',
      size_bytes: 0,
      key_count: 0,
      registered_schemas: [],
      reads_this_tick: [],
      writes_this_tick: [],
    })
  })

  test('can nest deeply', () => {
    const { board } = boardOf({ k: 'int' })
    board.set('k', 1)
    let inner = board
    for (let i = 0; i < 20_000; i++) inner = inner.createChildScope('s')
    inner.setGlobal('k', 2)
    expect([inner.get('k'), inner.has('l'), inner.snapshot()]).toEqual([2, false, { k: 2 }])
  })

  test('attribute an access to the node that is being ticked, and not to the node around it', () => {
    const { board } = boardOf({ a: 'int', b: 'int' })
    const { family } = scopeOf(board)
    family.openFrame()
    board.set('a', 1)
    family.openFrame()
    const child = board.createChildScope('child')
    child.set('b', 1)
    child.get('a')
    const inner = family.closeFrame()
    const outer = family.closeFrame()
    expect([[...inner.reads], [...inner.writes], [...outer.reads], [...outer.writes]]).toEqual([['a'], ['b'], [], ['a']])
    expect([...child.getWrites()]).toEqual(['b'])
    expect(() => family.closeFrame()).toThrow(TypeError)
  })

  test('are not affected by a listener that throws', () => {
    const { board } = boardOf(
      { k: 'str' },
      {
        limit: 10,
        emit: () => {
          throw new Error('listener')
        },
      },
    )
    board.set('k', '1234567')
    expect(faultOf(() => board.set('k', 1)).code).toBe('R1212')
    expect(board.get('k')).toBe('1234567')
  })
})
