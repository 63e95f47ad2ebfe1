import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Json } from '../../../src/kernel/index.ts'
import { evaluateGuard } from '../../../src/kinds/workflow/guards/guards.ts'
import { intersect, type Claim, claimOf, hasValue, isNever, complement, restrict } from '../../../src/kinds/workflow/proof/claim.ts'
import { areDisjoint, domainOf } from '../../../src/kinds/workflow/proof/domain.ts'
import type { BoardSchema, BuiltinGuard } from '../../../src/kinds/workflow/types/index.ts'
import { board } from './fixtures.ts'

const listed = (schema: BoardSchema): Json[] | undefined => {
  const { values } = domainOf(schema)
  return values === undefined ? undefined : [...values.values()]
}

describe('the values that a schema allows', () => {
  test.each<[string, BoardSchema, Json[] | undefined]>([
    ['boolean', { type: 'boolean' }, [true, false]],
    ['enum', { enum: ['a', 1, null] }, ['a', 1, null]],
    ['enum of a type', { type: 'string', enum: ['a', 1, null] }, ['a']],
    ['const', { const: { deep: [1] } }, [{ deep: [1] }]],
    ['types', { type: ['boolean', 'null'] }, [true, false, null]],
    ['range', { type: 'integer', minimum: -1, exclusiveMaximum: 2 }, [-1, 0, 1]],
    ['union', { anyOf: [{ const: 'a' }, { type: 'null' }] }, ['a', null]],
    ['all of', { allOf: [{ enum: ['a', 'b', 'c'] }, { enum: ['b', 'c', 'd'] }] }, ['b', 'c']],
    ['a union with text', { anyOf: [{ const: 1 }, { type: 'string' }] }, undefined],
    ['a wide range', { type: 'integer', minimum: 0, maximum: 1000 }, undefined],
    ['a reference', { $ref: '#/$defs/x' }, undefined],
    ['zod', z.enum(['paid', 'lost']).nullable(), ['paid', 'lost', null]],
    ['nothing known', {}, undefined],
  ])('%s', (_, schema, values) => {
    expect(listed(schema)).toEqual(values)
  })

  test('are disjoint if they have no value in common', () => {
    const all: Record<string, BoardSchema> = {
      text: { type: 'string' },
      count: { type: 'integer' },
      flag: { type: 'boolean' },
      state: { enum: ['a', 1] },
      any: {},
    }
    const fits = (one: string, other: string): boolean => !areDisjoint(domainOf(all[one]), domainOf(all[other]))
    expect(fits('text', 'count')).toBe(false)
    expect(fits('text', 'state')).toBe(true)
    expect(fits('flag', 'state')).toBe(false)
    expect(fits('any', 'flag')).toBe(true)
  })
})

describe('claims on a key', () => {
  const values: readonly Json[] = ['a', 'b', 1, true, null, { deep: [1, 2] }]
  const guards: fc.Arbitrary<BuiltinGuard> = fc.record({
    type: fc.constantFrom('exists', 'not-exists', 'equals', 'not-equals'),
    key: fc.constant('k'),
    value: fc.constantFrom(...values),
  })
  const meets = (claim: Claim, value: Json | undefined): boolean =>
    value === undefined ? claim.absent : hasValue(intersect(claim, claimOf({ type: 'equals', key: 'k', value })))

  test('agree with guards in every state', () => {
    fc.assert(
      fc.property(guards, guards, fc.option(fc.constantFrom(...values), { nil: undefined }), (one, other, value) => {
        const state = board(value === undefined ? {} : { k: value })
        const [yes, also] = [evaluateGuard(one, state), evaluateGuard(other, state)]
        expect(meets(claimOf(one), value)).toBe(yes)
        expect(meets(complement(claimOf(one)), value)).toBe(!yes)
        expect(meets(intersect(claimOf(one), claimOf(other)), value)).toBe(yes && also)
      }),
    )
  })

  test('are limited to the possible values of the key', () => {
    const domain = domainOf({ enum: ['a', 'b'] })
    const never = intersect(
      complement(claimOf({ type: 'equals', key: 'k', value: 'a' })),
      complement(claimOf({ type: 'equals', key: 'k', value: 'b' })),
    )
    expect(isNever(restrict(intersect(never, claimOf({ type: 'exists', key: 'k' })), domain))).toBe(true)
    expect(isNever(restrict(never, domain))).toBe(false)
  })
})
