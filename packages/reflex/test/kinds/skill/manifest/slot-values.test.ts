import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/kernel/index.ts'
import { checkSlotValue, readSlotValue } from '../../../../src/kinds/skill/manifest/slot-values.ts'
import type { Slot, SlotType } from '../../../../src/kinds/skill/model/slot.ts'

function slot(type: SlotType, more: Partial<Slot> = {}): Slot {
  return { name: 'x', type, required: true, maxLength: 1024, description: '', sensitive: false, ...more }
}

const VALUES: Readonly<Partial<Record<SlotType, readonly [valid: readonly Json[], invalid: readonly Json[]]>>> = {
  string: [
    ['', 'a b', '{{x}}'],
    [1, null, ['a'], '\ud800'],
  ],
  integer: [
    [1, -5, '12'],
    [1.5, '01', '1.0', '1e3', ' 1', '', true, 2 ** 60],
  ],
  number: [
    [1.5, '0.5', -1],
    ['1.50', 'NaN', 'Infinity', '0x10', null],
  ],
  boolean: [
    [true, 'false'],
    ['yes', 1, 'True'],
  ],
  url: [['https://a.com/x?y#z'], ['javascript:alert(1)', 'a.com', 'https://a@b.com', 'https://a b', 'ftp://a.com', 'https:\\\\a']],
  path: [
    ['a/b.txt', '.hidden'],
    ['../a', '/a', 'a\0', ''],
  ],
  hostname_label: [
    ['pay-stg', 'a', 'A1'],
    ['-a', 'a-', 'a.b', 'a_b', '', 'a'.repeat(64)],
  ],
  hostname: [
    ['a.b-c.d', 'localhost'],
    ['a..b', '.a', 'a:1', 'a/b'],
  ],
  email: [['a.b@c.de'], ['a@', '@b', 'a b@c.d', 'a@b@c']],
  semver: [
    ['1.2.3', '1.0.0-rc.1+b'],
    ['v1.2.3', '1.2', '^1.2.3', '1.2.3 '],
  ],
  image_ref: [
    ['acr.io/pay:abc', 'nginx', 'localhost:5000/a/b:1.2', `a@sha256:${'0'.repeat(64)}`],
    ['a:b:c', '-a', 'a b', 'A/B', 'a/../b', 'a:'],
  ],
  uuid: [['123e4567-e89b-12d3-a456-426614174000'], ['123e4567', '123e4567e89b12d3a456426614174000']],
  datetime: [
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5+01:00'],
    ['2026-01-01', '2026-13-01T00:00:00Z', '2026-01-01T00:00:00'],
  ],
  json: [[{ a: 1 }, 'x', null], []],
  secret_ref: [
    ['vault://prod/db', 'env://TOKEN'],
    ['hunter2', 'vault://', 'vault://a b'],
  ],
}

describe('the value of a slot', () => {
  it.each(Object.entries(VALUES))('of the type %s', (type, [valid, invalid]) => {
    for (const value of valid) expect([value, checkSlotValue(slot(type as SlotType), value)]).toEqual([value, undefined])
    for (const value of invalid) expect([value, typeof checkSlotValue(slot(type as SlotType), value)]).toEqual([value, 'string'])
  })

  it('is converted from its canonical text only', () => {
    expect(readSlotValue(slot('integer'), '12')).toEqual({ value: 12 })
    expect(readSlotValue(slot('boolean'), 'true')).toEqual({ value: true })
    expect(readSlotValue(slot('string'), '12')).toEqual({ value: '12' })
  })

  it('keeps to its bounds, its words and its pattern, which matches the whole text', () => {
    expect(checkSlotValue(slot('integer', { min: 1, max: 9 }), 0)).toBe('is less than 1')
    expect(checkSlotValue(slot('integer', { min: 1, max: 9 }), 10)).toBe('is more than 9')
    expect(checkSlotValue(slot('string', { maxLength: 2 }), 'abc')).toBe('has more than 2 characters')
    expect(checkSlotValue(slot('enum', { enum: ['a', 'b'] }), 'c')).toBe('is not one of the allowed values')
    const pattern = slot('string', { pattern: 'a|b' })
    expect([checkSlotValue(pattern, 'a'), typeof checkSlotValue(pattern, 'ab'), typeof checkSlotValue(pattern, 'a\nx')]).toEqual([
      undefined,
      'string',
      'string',
    ])
  })

  it('takes linear time, and is not in the message', () => {
    const hostile = `${'a'.repeat(1000)}!`
    expect(checkSlotValue(slot('string', { pattern: '(a+)+$' }), hostile)).toBe('does not match the pattern of the slot')
    expect(checkSlotValue(slot('secret_ref'), 'hunter2')).not.toContain('hunter2')
  })
})
