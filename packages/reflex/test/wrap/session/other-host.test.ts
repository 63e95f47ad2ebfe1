import { describe, expect, it } from 'vitest'
import type { SkillOptions } from '../../../src/wrap/index.ts'
import { activate, life, RELEASE } from './world.ts'

/** A release that asks the host whether it may be made: a function and a fact. */
const GUARDED = {
  ...RELEASE,
  preconditions: { tools_available: ['file.list'], data_present: ['tag'], invariants: ["window('release', 1) == 'open'", 'team.size > 1'] },
  plan: { ...RELEASE.plan, steps: [{ id: 'set', tool: 'file.list', args: { path: '.' } }] },
  policy: { deny_if: ["risk(args.tag) == 'high'"] },
}

const HOST: SkillOptions = {
  functions: [
    { name: 'window', params: ['string', 'number'], returns: 'string', call: () => 'open' },
    { name: 'risk', params: ['string'], returns: 'string', call: (tag) => (tag === 'v2' ? 'high' : 'low') },
  ],
  facts: { team: () => ({ size: 3 }) },
}

async function recorded(tag: string) {
  const there = life({ skill: HOST })
  await activate(there, GUARDED, ['file.list'])
  return { store: there.store, run: await there.reflex.run('skill:release.tag', { input: { tag } }) }
}

describe('a process without the functions and facts of the host', () => {
  // proves: skill 148
  it.each([
    ['v1', 'completed'],
    ['v2', 'policy.deny_if'],
  ])('makes the recorded decision on %s again: %s', async (tag, end) => {
    const { store, run } = await recorded(tag)
    expect(run.failure?.rule ?? run.status).toBe(end)
    const other = life({ store })
    expect(await other.reflex.replay(run.id)).toMatchObject({ result: 'equal' })
  })

  // proves: skill 37
  it.each([
    ['its functions', { facts: HOST.facts ?? {} }],
    ['its facts', { functions: HOST.functions ?? [] }],
  ])('refuses a new execution without %s', async (_, skill) => {
    const { store } = await recorded('v1')
    const run = await life({ store, skill }).reflex.run('skill:release.tag', { input: { tag: 'v3' } })
    expect([run.status, run.failure?.rule]).toEqual(['failed', 'state.unbound'])
  })
})
