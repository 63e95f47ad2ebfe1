import { describe, expect, it, test } from 'vitest'
import { createPolicy, type OperatorPolicy, type PolicyFile, type PolicySettings, readPolicy } from '../../src/policy/index.ts'
import { callWith } from './settings.ts'

const call = callWith({ trust: 'trusted', workdir: '/w', folder: '/w/.reflex/runs/otter' })
const NEED = 'arbor://net/example.org'
const SHELL = 'arbor://shell/exec'

function policy(file: Partial<PolicyFile>, settings: Partial<PolicySettings> = {}): OperatorPolicy {
  return createPolicy({ grants: [{ file: 'my.policy.json', ...file }], ...settings })
}
const asked = (made: OperatorPolicy, need: string) => made.judge(call, { leaves: true, repeat: 'ask', needs: [need] })

describe('a grant on terms', () => {
  it('is asked for even where the level of trust grants it, and refused until somebody has allowed it', () => {
    const made = policy({ ask: ['arbor://shell/**'] })
    expect(made.judgeCall(call, SHELL)).toMatchObject({
      allowed: false,
      by: 'my.policy.json',
      rule: 'arbor://shell/**',
      terms: { ask: true },
    })
    expect(made.judgeCall(call, SHELL).allowed).toBe(false)
    const judgement = asked(made, SHELL)
    const terms = 'terms' in judgement ? judgement.terms : []
    expect(terms).toEqual([{ need: SHELL, grant: 'arbor://shell/**', by: 'my.policy.json', ask: true }])
    expect('terms' in judgement && judgement.refusal(terms).message).toContain('wants to be asked about arbor://shell/**')
    expect(made.judgeCall({ ...call, isPermitted: (grant) => grant === 'arbor://shell/**' }, SHELL).allowed).toBe(true)
  })

  it('is denied by a denial, whatever somebody says', () => {
    const made = policy({ ask: [SHELL], deny: [SHELL] })
    expect(made.judgeCall({ ...call, isPermitted: () => true }, SHELL)).toMatchObject({ allowed: false, rule: SHELL })
    expect(made.judgeCall(call, SHELL).terms).toBeUndefined()
  })

  const rows: [expiresAt: number, now: (() => number) | undefined, allowed: boolean][] = [
    [1_000, () => 999, true],
    [1_000, () => 1_000, false],
    [1_000, undefined, false],
  ]
  it.each(rows)('that ends at %i', (expiresAt, now, allowed) => {
    const made = policy({ bounded: [{ capability: NEED, expiresAt }] }, now === undefined ? {} : { now })
    expect(made.judgeCall(call, NEED).allowed).toBe(allowed)
    expect(made.judgeAhead(call, NEED).allowed).toBe(allowed)
  })

  it('that is counted holds only where it is', () => {
    const bounded = [{ capability: NEED, maxUses: 3 }]
    expect(policy({ bounded }).judgeCall(call, NEED)).toMatchObject({ allowed: false, terms: { maxUses: 3 } })
    expect(policy({ bounded }).judgeCall({ ...call, isPermitted: () => true }, NEED).allowed).toBe(true)
    expect(policy({ bounded, allow: [NEED] }).judgeCall(call, NEED).allowed).toBe(true)
  })
})

describe('a policy file with terms', () => {
  test('is read', () => {
    const text = JSON.stringify({
      allow: ['arbor://memory', { capability: NEED, expires_at: '2027-01-31T12:00:00+01:00', max_uses: 2 }],
      ask: [SHELL],
    })
    expect(readPolicy(text, 'a.json')).toEqual({
      file: 'a.json',
      allow: ['arbor://memory'],
      deny: [],
      ask: [SHELL],
      bounded: [{ capability: NEED, expiresAt: Date.UTC(2027, 0, 31, 11), maxUses: 2 }],
    })
  })

  test.each([
    [{ capability: NEED, expires: 1 }, 'allow[0].expires'],
    [{ capability: NEED, expires_at: 'tomorrow' }, 'allow[0].expires_at'],
    [{ capability: NEED, expires_at: '2027-01-31' }, 'allow[0].expires_at'],
    [{ capability: NEED, expires_at: 17 }, 'allow[0].expires_at'],
    [{ capability: NEED, max_uses: 0 }, 'allow[0].max_uses'],
    [{ capability: NEED, max_uses: '3' }, 'allow[0].max_uses'],
    [{ capability: 'net/example.org' }, 'allow[0].capability'],
    [{ max_uses: 3 }, 'allow[0].capability'],
  ])('%j is refused', (grant, path) => {
    expect(() => readPolicy(JSON.stringify({ allow: [grant] }))).toThrow(expect.objectContaining({ path }))
  })
})
