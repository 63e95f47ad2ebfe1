// proves: skill 15, skill 176
import { expect, it } from 'vitest'
import { lookAfter, lookAfterDaily } from '../../../src/learn/registry/look-after.ts'
import { decisionsOf, note, released } from './world.ts'

const DAY = 86_400_000
const RULE = { experiment: 'notes', shares: [{ version: '1.0.0', share: 0.5 }] }

it('a program gets the version that the split of its run chooses, and the decision says so', async () => {
  const one = released()
  await one.activate(note('1.0.0'))
  await one.activate(note('1.1.0'), 0.5)
  const split: Record<string, number> = { '1.0.0': 0, '1.1.0': 0 }
  for (let i = 0; i < 12; i++) {
    const run = await one.reflex.run('skill:app.note', { id: `run-${i}` })
    const [decision] = await decisionsOf(one, run.id)
    const version = decision?.skill?.version ?? ''
    expect([run.status, run.value]).toEqual(['completed', { text: version }])
    expect(decision?.rollout).toEqual({ experiment: 'default', fraction: expect.any(Number) as number, share: 500_000 })
    expect((decision?.rollout?.fraction ?? 0) < 500_000).toBe(version === '1.1.0')
    expect((await one.reflex.replay(run.id)).result).toBe('equal')
    const [gate] = (await one.reflex.trace(run.id)).lines.filter(({ event }) => event.node === 'gate')
    expect(gate?.event.facts).toMatchObject({ version, experiment: 'default', share: 0.5 })
    split[version] = (split[version] ?? 0) + 1
  }
  expect(Math.min(...Object.values(split))).toBeGreaterThan(1)
})

it('a call that names a version gets it, also a deprecated one, with a warning; an evicted one is refused', async () => {
  const one = released()
  await one.activate(note('1.0.0'))
  await one.activate(note('2.0.0'))
  const old = await one.reflex.run('skill:app.note@1.0.0')
  expect([old.status, old.value]).toEqual(['completed', { text: '1.0.0' }])
  const [decision] = await decisionsOf(one, old.id)
  expect(decision).toMatchObject({ warning: 'deprecated', verdict: 'approved', proposal: { skill_ref: 'app.note@1.0.0' } })
  expect(decision?.rollout).toBeUndefined()
  expect((await one.reflex.trace(old.id)).lines.map(({ event }) => event.text)).toContain('approved; this version is deprecated')
  await one.registry.retire(await one.registry.find('app.note@1.0.0'), 'evicted', 'a week later')
  const gone = await one.reflex.run('skill:app.note@1.0.0')
  expect(gone.status).not.toBe('completed')
  expect((await decisionsOf(one, gone.id))[0]?.reason).toBe('state.evicted')
  expect((await one.registry.find('app.note@1.0.0')).manifest.version).toBe('1.0.0')
})

it('the shares of a manifest hold when it is approved, and its rule promotes it by the executions since', async () => {
  const one = released()
  await one.activate(note('1.0.0'))
  await one.activate(note('1.1.0', { rollout: { ...RULE, promote: { runs: 3, success: 0.9 } } }))
  const shares = async () => (await one.registry.list()).map(({ version, share }) => [version, share])
  expect(await shares()).toEqual([
    ['1.0.0', 0.5],
    ['1.1.0', 0.5],
  ])
  while (one.calls.filter((version) => version === '1.1.0').length < 2) await one.reflex.run('skill:app.note')
  expect(await lookAfter(one.registry)).toEqual({ rollouts: [], changes: [] })
  while (one.calls.filter((version) => version === '1.1.0').length < 3) await one.reflex.run('skill:app.note')
  const { rollouts } = await lookAfter(one.registry)
  expect(rollouts.map(({ judgement }) => judgement)).toEqual([
    { verdict: 'promote', runs: 3, succeeded: 3, rule: { name: 'promote', runs: 3, success: 0.9 } },
  ])
  expect(await shares()).toEqual([
    ['1.0.0', 0],
    ['1.1.0', 1],
  ])
  expect((await one.registry.find('app.note@1.1.0')).state.reason).toContain('3 of 3 executions succeeded')
})

it('a version that fails is rolled back by its rule, and the one before has all calls again', async () => {
  const one = released()
  await one.activate(note('1.0.0'))
  await one.activate(note('1.1.0', { rollout: { ...RULE, promote: { runs: 1, success: 0 }, rollback: { runs: 2, success: 0.9 } } }))
  one.failing.add('1.1.0')
  while (one.calls.filter((version) => version === '1.1.0').length < 2) await one.reflex.run('skill:app.note')
  const { rollouts } = await lookAfter(one.registry)
  expect(rollouts.map(({ judgement }) => judgement.verdict)).toEqual(['rollback'])
  expect((await one.registry.list()).map(({ version, share, state }) => [version, share, state.state])).toEqual([
    ['1.0.0', 1, 'active'],
    ['1.1.0', 0, 'deprecated'],
  ])
})

it('the registry is looked after once a day: what is hardly used is deprecated, and a week later evicted (skill 176)', async () => {
  const one = released()
  await one.activate(note('1.0.0'))
  const state = async () => (await one.registry.find('app.note@1.0.0')).state.state
  expect(await lookAfterDaily(one.registry)).toBeDefined()
  expect(await lookAfterDaily(one.registry)).toBeUndefined()
  await one.host.advance(14 * DAY)
  expect((await lookAfterDaily(one.registry))?.changes).toMatchObject([{ to: 'deprecated' }])
  expect(await state()).toBe('deprecated')
  await one.host.advance(7 * DAY)
  await lookAfterDaily(one.registry)
  expect(await state()).toBe('evicted')
})

it('a project has the skills of its organisation, and hides those of which it has an active version (skill 15)', async () => {
  const org = released({}, 'acme-group')
  await org.activate(note('3.0.0'))
  const one = released({ store: org.store, skill: { org: 'acme-group' }, closes: false })
  expect((await one.reflex.run('skill:app.note')).value).toEqual({ text: '3.0.0' })
  expect((await one.registry.reachable()).skills.map(({ version, scope, figures }) => [version, scope, figures.runs])).toEqual([
    ['3.0.0', 'org', 1],
  ])
  await one.keep(note('1.0.0'))
  expect((await one.reflex.run('skill:app.note')).value).toEqual({ text: '3.0.0' })
  await one.registry.activate(await one.registry.find('app.note@1.0.0'))
  expect((await one.reflex.run('skill:app.note')).value).toEqual({ text: '1.0.0' })
  expect(await one.registry.reachable()).toMatchObject({ hidden: ['app.note'], skills: [{ version: '1.0.0', scope: 'project' }] })
  // Nobody knows in the registry of an organisation how often its projects use a skill.
  await org.host.advance(30 * DAY)
  expect((await lookAfter(org.registry)).changes).toEqual([])
})

it('a quarantine in a project does not take a skill of the organisation out of use elsewhere', async () => {
  const org = released({}, 'acme-group')
  await org.activate(note('3.0.0'))
  const one = released({ store: org.store, skill: { org: 'acme-group', project: 'first' }, closes: false })
  one.failing.add('3.0.0')
  for (let i = 0; i < 3; i++) await one.reflex.run('skill:app.note')
  one.failing.clear()
  const refused = await one.reflex.run('skill:app.note')
  expect((await decisionsOf(one, refused.id))[0]?.reason).toBe('state.quarantined')
  const other = released({ store: org.store, skill: { org: 'acme-group', project: 'second' }, closes: false })
  expect((await other.reflex.run('skill:app.note')).value).toEqual({ text: '3.0.0' })
})
