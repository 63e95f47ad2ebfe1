import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLINICS } from './clinics.ts'
import { measure, tableRow } from './measure.ts'
import { OFFICES } from './offices.ts'
import { SERVICES } from './services.ts'

const PAGE = resolve(import.meta.dirname, '../../../../../../docs/kinds/skill-learning.md')
const QUESTIONS = 500

describe('the first card of the bulletin, proposed without a thought', () => {
  // proves: skill 188
  it('is right in nine of ten approvals, for 500 questions of trades on which nothing was worked out', () => {
    const measured = measure(OFFICES, QUESTIONS)
    expect(measured.first / measured.approved).toBeGreaterThanOrEqual(0.9)
    // Precision that costs the approvals would be worth nothing.
    expect(measured.approved / QUESTIONS).toBeGreaterThanOrEqual(0.4)
    expect(measured.first / measured.possible).toBeGreaterThanOrEqual(0.6)
    expect(measured.denied).toBe(0)
  })

  it('has the figures of its page', () => {
    const rows = (
      [
        ['services', SERVICES],
        ['clinics', CLINICS],
        ['**offices**', OFFICES],
      ] as const
    ).map(([name, world]) => tableRow(name, measure(world, QUESTIONS)))
    expect(readFileSync(PAGE, 'utf8')).toContain(rows.join('\n'))
  })
})
