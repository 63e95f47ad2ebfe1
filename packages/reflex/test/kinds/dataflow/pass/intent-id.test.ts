// proves: dataflow 39
import * as fc from 'fast-check'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { digestBytes } from '../../../../src/kernel/index.ts'
import { intentId } from '../../../../src/kinds/dataflow/pass/intent-id.ts'

describe('the id of an intent', () => {
  it.each([
    ['graph_alpha', 'evt_001', 'n42', 'place_order', 3, '157aed720bd20c1712cede0a499cf6607f687401a29d70ce5df5d2778f85a9fa'],
    ['graph-1', 'event-2', 'act', 'place_order', 0, '4d5d010984edf71e65f32097f9eaa0964218e66bd49a6211a04d851abc7a9532'],
    ['g', 'é', 'n0', 'k', 0, '418d83c5d8cbf8bea163b5adfe6352adb627e283a817551ded6bbba01ee40097'],
  ] as const)('is the vector of %s, %s, %s, %s, %i', (graphId, eventId, node, kind, ordinal, hash) => {
    expect(intentId({ graphId, eventId }, node, kind, ordinal)).toBe(`eid1:sha256:${hash}`)
  })

  it('differs if one part differs, also where two parts meet', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '1'), maxLength: 3 })
    const parts = fc.tuple(part, part, part, part, fc.nat(12))
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const idOf = ([graphId, eventId, node, kind, ordinal]: typeof one) => intentId({ graphId, eventId }, node, kind, ordinal)
        expect(idOf(one) === idOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
      }),
    )
  })

  it('is made of bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(digestBytes(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'))
      }),
    )
  })
})
