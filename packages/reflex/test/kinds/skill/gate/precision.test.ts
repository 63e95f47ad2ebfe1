import { expect, it } from 'vitest'
import { measure } from './measure.ts'
import { OFFICES } from './offices.ts'
import { SERVICES } from './services.ts'

it('measures the first card for questions that nobody has learned from', () => {
  expect(measure(SERVICES, 500)).toMatchObject({ possible: 290, among: 281, clarify: 32, approved: 332, first: 195 })
  expect(measure(OFFICES, 500)).toMatchObject({ possible: 314, among: 168, clarify: 10, approved: 218, first: 162 })
})
