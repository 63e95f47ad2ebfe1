import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digest, digestFraction } from '../../src/kernel/journal/digest.ts'
import { runName } from '../../src/kernel/journal/run-name.ts'

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex')

describe('digest', () => {
  it('is SHA-256', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => digest(text) === sha256(text)))
  })

  it('is SHA-256 for every length around the edge of a block', () => {
    for (let length = 0; length <= 200; length++) expect(digest('é'.repeat(length))).toBe(sha256('é'.repeat(length)))
  })

  it('makes fractions below one', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const fraction = digestFraction(text)
        expect(fraction >= 0 && fraction < 1).toBe(true)
      }),
    )
  })
})

describe('runName', () => {
  it('is a noun, a digit and three characters that can be told apart', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (bits) => {
        expect(runName(bits.toString(16).padStart(32, '0'))).toMatch(/^[a-z]{3,6}-\d[0-9a-hjkmnp-tv-z]{3}$/)
      }),
    )
  })

  it('is the same for the same entropy, and rarely for another', () => {
    const names = new Set(Array.from({ length: 2_000 }, (_, i) => runName(sha256(String(i)).slice(0, 32))))
    expect(names.size).toBeGreaterThan(1_990)
    expect(runName(sha256('x'))).toBe(runName(sha256('x')))
  })
})
