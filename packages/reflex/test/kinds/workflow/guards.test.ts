import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  evaluateBuiltinGuard,
  evaluateCustomGuard,
  evaluateGuard,
  explainClosed,
  explainGuard,
  filterEdges,
} from '../../../src/kinds/workflow/guards/guards.ts'
import type { BuiltinGuard, CustomGuard, Guard } from '../../../src/kinds/workflow/types/index.ts'
import { board, guarded } from './fixtures.ts'

const values = board({ total: 84, none: null, no: false, empty: '', list: [1, { a: 2 }], odd: Number.NaN, gone: undefined })

const custom = (evaluate: unknown, name?: string): CustomGuard =>
  ({ type: 'custom', evaluate, ...(name === undefined ? {} : { name }) }) as CustomGuard

function thrown(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('did not throw')
}

describe('built-in guards', () => {
  // proves: workflow 2.8a, workflow 2.8b, workflow 2.8c, workflow 2.8d, workflow 4.2a, workflow r9a, workflow r9b, workflow r9c
  // proves: workflow r9d
  test.each<[BuiltinGuard['type'], string, unknown, boolean]>([
    ['exists', 'total', undefined, true],
    ['exists', 'no', undefined, true],
    ['exists', 'empty', undefined, true],
    ['exists', 'gone', undefined, true],
    ['exists', 'toString', undefined, false],
    ['not-exists', 'nothing', undefined, true],
    ['not-exists', 'none', undefined, false],
    ['equals', 'total', 84, true],
    ['equals', 'total', 84.0, true],
    ['equals', 'total', '84', false],
    ['equals', 'none', null, true],
    ['equals', 'no', 0, false],
    ['equals', 'list', [1, { a: 2 }], true],
    ['equals', 'list', [1, { a: 3 }], false],
    ['equals', 'odd', Number.NaN, false],
    ['equals', 'nothing', undefined, false],
    ['equals', 'gone', undefined, true],
    ['not-equals', 'total', 85, true],
    ['not-equals', 'total', 84, false],
    ['not-equals', 'nothing', 84, true],
    ['not-equals', 'nothing', undefined, true],
    ['not-equals', 'list', [1, { a: 2 }], false],
  ])('%s %s %j is %s', (type, key, value, expected) => {
    expect(evaluateBuiltinGuard({ type, key, value }, values)).toBe(expected)
    expect(evaluateGuard({ type, key, value }, values)).toBe(expected)
  })

  // proves: workflow C15
  test('have the same result for a copy made through JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
        const guard = (value: unknown): Guard => ({ type: 'equals', key: 'k', value })
        expect(evaluateGuard(guard(copy(a)), board({ k: copy(a) }))).toBe(true)
        expect(evaluateGuard(guard(a), board({ k: b }))).toBe(evaluateGuard(guard(copy(a)), board({ k: copy(b) })))
      }),
    )
  })

  // proves: workflow C4
  test('of an unknown type fail', () => {
    expect(thrown(() => evaluateGuard({ type: 'toString' } as unknown as Guard, values))).toMatchObject({ code: 'R2043' })
  })
})

describe('custom guards', () => {
  // proves: workflow 2.8e, workflow 4.2b
  test('read the board and return true or false', () => {
    expect(
      evaluateCustomGuard(
        custom((reader: typeof values) => reader.get('total') === 84),
        values,
      ),
    ).toBe(true)
    expect(
      evaluateCustomGuard(
        custom(() => false),
        values,
      ),
    ).toBe(false)
  })

  // proves: workflow D16
  test('must return a boolean', async () => {
    for (const answer of [1, 'yes', undefined, null, {}]) {
      expect(
        thrown(() =>
          evaluateGuard(
            custom(() => answer, 'vip'),
            values,
          ),
        ),
      ).toMatchObject({ code: 'R2041', message: expect.stringContaining('"vip"') as string })
    }
    expect(
      thrown(() =>
        evaluateGuard(
          custom(async () => true),
          values,
        ),
      ),
    ).toMatchObject({ code: 'R2041', message: expect.stringContaining('a promise') as string })
    // A promise that fails later must not take the process down.
    expect(
      thrown(() =>
        evaluateGuard(
          custom(async () => Promise.reject(new Error('late'))),
          values,
        ),
      ),
    ).toMatchObject({ code: 'R2041' })
    await new Promise((resolve) => setTimeout(resolve, 5))
  })

  test('without a function fail', () => {
    expect(thrown(() => evaluateGuard(custom(undefined, 'vip'), values))).toMatchObject({ code: 'R2042' })
  })

  test('throw the error of their function', () => {
    const error = new Error('mine')
    expect(
      thrown(() =>
        evaluateGuard(
          custom(() => {
            throw error
          }),
          values,
        ),
      ),
    ).toBe(error)
  })
})

describe('the edges of a node', () => {
  const open = guarded('open', undefined)
  const exists = guarded('exists', { type: 'exists', key: 'total' })
  const closed = guarded('closed', { type: 'equals', key: 'total', value: 100 })
  const broken = guarded(
    'broken',
    custom(() => 1),
  )

  // proves: workflow 2.8h
  test('are sorted into open and closed, in their order', () => {
    expect(filterEdges([closed, open, exists], values)).toEqual({ ok: true, open: [open, exists], closed: [closed] })
    expect(filterEdges([], values)).toEqual({ ok: true, open: [], closed: [] })
  })

  // proves: workflow r5.2b
  test('are not sorted beyond the first guard that fails', () => {
    const error = new Error('first')
    const first = guarded(
      'first',
      custom(() => {
        throw error
      }),
    )
    expect(filterEdges([open, first, broken], values)).toEqual({ ok: false, edge: first, error })
    expect(filterEdges([open, broken], values)).toMatchObject({ ok: false, edge: broken, error: { code: 'R2041' } })
  })

  test('have a reason if they are closed', () => {
    const all = [
      open,
      exists,
      closed,
      broken,
      guarded(
        'vip',
        custom(() => false, 'is vip'),
      ),
      guarded('absent', { type: 'exists', key: 'Part Object' }),
    ]
    expect(explainClosed(all, values).map(({ edge, why }) => `${edge.id}: ${why}`)).toEqual([
      'closed: total equals 84, needs 100',
      'broken: the guard failed: a custom guard returned 1, not true or false',
      'vip: guard "is vip" says no',
      'absent: "Part Object" is not there',
    ])
  })

  test.each<[Guard, string]>([
    [{ type: 'exists', key: 'total' }, 'total is there'],
    [{ type: 'not-exists', key: 'total' }, 'total is there'],
    [{ type: 'equals', key: 'total', value: 84 }, 'total equals 84'],
    [{ type: 'equals', key: 'x', value: 1 }, 'x is not there, needs 1'],
    [{ type: 'not-equals', key: 'total', value: 84 }, 'total equals 84, must not'],
    [{ type: 'not-equals', key: 'total', value: 1 }, 'total equals 84'],
    [{ type: 'regex', key: 'x' } as unknown as Guard, 'the guard failed: there is no type of guard "regex"'],
  ])('%j: %s', (guard, why) => {
    expect(explainGuard(guard, values).why).toBe(why)
  })
})
