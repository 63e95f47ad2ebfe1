import { expect, it } from 'vitest'
import type { ActiveEntry } from '../../../../src/kinds/skill/ledger/entries.ts'
import { chooseVersion, shareOf } from '../../../../src/kinds/skill/ledger/split.ts'

const pointer = (...shares: readonly number[]): ActiveEntry => ({
  versions: [{ version: '1.0.0', hash: '' }, ...shares.map((share, i) => ({ version: `1.${i + 1}.0`, hash: '', share }))],
  since: 0,
  by: '',
})
const keys = Array.from({ length: 2_000 }, (_, i) => `conversation-${i}`)
const versionsOf = (entry: ActiveEntry) => keys.map((key) => chooseVersion('app.note', entry, key)?.active.version)

it('gives each version about its share of the conversations, and a conversation always the same', () => {
  const chosen = versionsOf(pointer(0.1, 0.3))
  const count = (version: string) => chosen.filter((one) => one === version).length / keys.length
  expect(Math.abs(count('1.1.0') - 0.1)).toBeLessThan(0.03)
  expect(Math.abs(count('1.2.0') - 0.3)).toBeLessThan(0.04)
  expect(versionsOf(pointer(0.1, 0.3))).toEqual(chosen)
})

it('takes no conversation away from a version whose share grows', () => {
  const [small, large] = [versionsOf(pointer(0.1)), versionsOf(pointer(0.4))]
  for (const [i, version] of small.entries()) if (version === '1.1.0') expect(large[i]).toBe('1.1.0')
})

it('splits another experiment in another way', () => {
  const entry = pointer(0.5)
  expect(versionsOf({ ...entry, experiment: 'second' })).not.toEqual(versionsOf(entry))
})

it('says how it has chosen, and nothing where there is no choice', () => {
  expect(chooseVersion('app.note', pointer(), 'a')).toEqual({ active: { version: '1.0.0', hash: '' } })
  const { active, rollout } = chooseVersion('app.note', pointer(1), 'a') ?? {}
  expect([active?.version, rollout]).toEqual(['1.1.0', { experiment: 'default', fraction: expect.any(Number) as number, share: 1_000_000 }])
  expect(shareOf({ version: '1.0.0' }, pointer(0.7, 0.6).versions)).toBe(0)
})
