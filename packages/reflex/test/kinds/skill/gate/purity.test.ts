import { expect, it, vi } from 'vitest'
import { decide, dryRun } from '../../../../src/kinds/skill/gate/decide.ts'
import { parserRequests } from '../../../../src/kinds/skill/gate/parsers.ts'
import { DEPLOY, FUNCTIONS, INPUTS, proposal, skillOf, snapshot } from './support.ts'

/** Freezes a value and everything in it. */
function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(Object.freeze(value))) frozen(inner)
  return value
}

// proves: skill 63
it('makes the same record from the same snapshot, a thousand times, and reads nothing else', () => {
  const asked = frozen(snapshot())
  const proposed = frozen(proposal(INPUTS, { why: 'goal=deploy' }))
  const functions = FUNCTIONS.map((one) => ({ ...one, call: () => 'open' }))
  const functionResults = dryRun(skillOf(DEPLOY), asked, proposed, functions)
  const given = frozen({ ...asked, functionResults })
  const first = JSON.stringify(decide(skillOf(DEPLOY), given, proposed))
  expect(JSON.parse(first)).toMatchObject({ verdict: 'approved', proposal: { why: 'goal=deploy' } })
  const forbidden = (): never => {
    throw new Error('a decision reads nothing but its snapshot')
  }
  const skill = skillOf(DEPLOY)
  vi.stubGlobal('fetch', forbidden)
  for (const spy of [vi.spyOn(Date, 'now'), vi.spyOn(Math, 'random'), vi.spyOn(performance, 'now')]) spy.mockImplementation(forbidden)
  try {
    for (let i = 0; i < 1000; i++) expect(JSON.stringify(decide(skill, given, proposed)) === first).toBe(true)
    expect(parserRequests(skill, given, proposed)).toEqual([])
  } finally {
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
  }
})

it('survives any proposal', () => {
  const skill = skillOf(DEPLOY)
  const deep = Array.from({ length: 200 }).reduce<unknown>((inner) => [inner], 'x')
  const hostile = [
    { app_name: deep },
    { ['__proto__']: 1 },
    { app_name: { toString: 1 } },
    { app_name: '\ud800', image_tag: '\0' },
    { app_name: 'x'.repeat(100_000) },
  ]
  for (const inputs of hostile) {
    const record = decide(skill, snapshot(), proposal(inputs as never, { why: 'x'.repeat(10_000) }))
    expect([record.verdict, record.reason]).toEqual(['denied', 'slot_invalid'])
    expect(JSON.stringify(record).length).toBeLessThan(4000)
  }
})
