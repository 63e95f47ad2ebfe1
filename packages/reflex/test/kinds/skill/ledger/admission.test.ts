import { describe, expect, it } from 'vitest'
import { admit, type AdmissionRequest, type AdmissionView, type RunLife } from '../../../../src/kinds/skill/ledger/admission.ts'
import { type KeyEntry, NO_USE, type Owner, recentStats } from '../../../../src/kinds/skill/ledger/entries.ts'
import { settle, type Settlement } from '../../../../src/kinds/skill/ledger/settlement.ts'

const OWN: Owner = ['otter-2m9q', 'otter-2m9q:0']
const OTHER: Owner = ['wren-4d1x', 'wren-4d1x:0']

function request(change: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return { owner: OWN, keyHash: 'k', fingerprint: 'f', keyLasts: 1000, cooldown: 0, most: 1, now: 5000, verifies: false, ...change }
}

function view(change: Partial<AdmissionView> = {}, life: RunLife = 'goes_on'): AdmissionView {
  return { use: NO_USE, life: () => life, ...change }
}

function key(status: KeyEntry['status'], change: Partial<KeyEntry> = {}): KeyEntry {
  return { status, fingerprint: 'f', owner: OTHER, at: 4000, expires: 9000, ...change }
}

describe('the admission of an execution', () => {
  // proves: skill 125
  it('claims the key and counts the execution', () => {
    const { result, key: claimed, use } = admit(request(), view())
    expect(result).toEqual({ verdict: 'admitted', key_hash: 'k' })
    expect(claimed).toMatchObject({ status: 'in_progress', owner: OWN, expires: 6000 })
    expect(use?.running).toEqual([OWN])
  })

  // proves: skill 125
  it('gives a repeated key the outputs of the first success', () => {
    const { result, outputs, key: claimed } = admit(request(), view({ key: key('succeeded', { outputs: { endpoint: 'x' } }) }))
    expect(result.verdict).toBe('short_circuit')
    expect(outputs).toEqual({ endpoint: 'x' })
    expect(claimed).toBeUndefined()
  })

  // proves: skill 126
  it('refuses a key with other arguments', () => {
    const { result } = admit(request({ fingerprint: 'other' }), view({ key: key('succeeded') }))
    expect(result.verdict).toBe('idempotence_conflict')
  })

  // proves: skill 127
  it('refuses a key that is in progress', () => {
    expect(admit(request(), view({ key: key('in_progress') })).result.verdict).toBe('idempotence_in_progress')
  })

  // proves: skill 129
  it.each<RunLife>(['interrupted', 'ended'])('does not repeat what a run that is %s has begun', (life) => {
    expect(admit(request(), view({ key: key('in_progress') }, life)).result.verdict).toBe('idempotence_unknown')
  })

  // proves: skill 128
  it('asks to verify what is unknown, and follows the answer', () => {
    const found = view({ key: key('unknown') })
    expect(admit(request({ verifies: true }), found)).toMatchObject({ verify: true })
    expect(admit(request({ verifies: true, verified: 'done' }), found)).toMatchObject({
      result: { verdict: 'short_circuit' },
      key: { status: 'succeeded' },
    })
    expect(admit(request({ verifies: true, verified: 'not_done' }), found).result.verdict).toBe('admitted')
  })

  // proves: skill 130
  it('runs an expired key again', () => {
    expect(admit(request({ now: 9000 }), view({ key: key('succeeded') })).result.verdict).toBe('admitted')
  })

  it('gives an execution that asks twice the same answer', () => {
    const first = admit(request(), view())
    const again = admit(request(), view({ key: first.key, use: first.use ?? NO_USE }))
    expect(again.result).toEqual(first.result)
  })

  // proves: skill 132
  it('keeps a pause after the last execution, but not for a stored answer', () => {
    const use = { running: [], finished: 4500, ended: [] }
    expect(admit(request({ cooldown: 1000 }), view({ use })).result).toEqual({ verdict: 'cooldown', retry_after_ms: 500 })
    expect(admit(request({ cooldown: 1000 }), view({ use, key: key('succeeded') })).result.verdict).toBe('short_circuit')
  })

  it('knows no pause without a cooldown, also if the clock of another machine is ahead', () => {
    const use = { ...NO_USE, finished: 5600 }
    expect(admit(request(), view({ use })).result.verdict).toBe('admitted')
  })

  // proves: skill 133
  it('counts the executions that go on, and not those of runs that were killed', () => {
    const use = { running: [OTHER], ended: [] }
    expect(admit(request(), view({ use })).result.verdict).toBe('concurrency')
    expect(admit(request({ most: 2 }), view({ use })).result.verdict).toBe('admitted')
    expect(admit(request(), view({ use }, 'interrupted')).result.verdict).toBe('admitted')
  })
})

describe('the end of an execution', () => {
  const end = (change: Partial<Settlement> = {}): Settlement => ({
    owner: OWN,
    status: 'ok',
    isRollbackIncomplete: false,
    major: 1,
    now: 6000,
    ...change,
  })
  const claimed = key('in_progress', { owner: OWN })
  const use = { running: [OWN, OTHER], ended: [] }

  it('stores the outputs of a success, and ends its claim', () => {
    const { key: after, use: used } = settle(end({ outputs: { n: 1 } }), { key: claimed, use })
    expect(after).toMatchObject({ status: 'succeeded', outputs: { n: 1 } })
    expect(used).toEqual({ running: [OTHER], finished: 6000, ended: [[6000, 1, true]] })
  })

  // proves: skill 131
  it('frees the key of a failure that left nothing', () => {
    expect(settle(end({ status: 'failed' }), { key: claimed, use })).toMatchObject({ removeKey: true })
  })

  it('keeps the key of what nobody knows', () => {
    expect(settle(end({ status: 'unknown' }), { key: claimed, use }).key?.status).toBe('unknown')
  })

  it('does not touch the key of another execution', () => {
    expect(settle(end(), { key: key('in_progress'), use }).key).toBeUndefined()
  })

  // proves: skill 53, skill 122
  it('ends the use of a version after three failures, or an undo that failed', () => {
    const failed = { running: [], ended: [[1, 1, false] as const, [2, 1, false] as const] }
    expect(settle(end({ status: 'failed' }), { use: failed }).state?.state).toBe('quarantined')
    expect(
      settle(end({ status: 'failed' }), {
        use: {
          ...failed,
          ended: [
            [1, 1, true],
            [2, 1, false],
          ],
        },
      }).state,
    ).toBeUndefined()
    expect(settle(end({ status: 'failed', major: 2 }), { use: failed }).state).toBeUndefined()
    expect(settle(end({ status: 'unknown', isRollbackIncomplete: true }), { use: NO_USE }).state?.state).toBe('quarantined')
  })

  // proves: skill 52
  it('counts for the success of late if it is at most thirty days old, and of the same major version', () => {
    const day = 86_400_000
    const ended = [
      [0, 1, true],
      [day, 1, true],
      [2 * day, 2, true],
      [3 * day, 1, false],
    ] as const
    expect(recentStats({ running: [], ended }, 1, 31 * day)).toEqual({ successes: 1, runs: 2 })
    expect(recentStats(NO_USE, 1, 31 * day)).toEqual({ successes: 0, runs: 0 })
  })

  // proves: skill 52
  it('keeps the last twenty executions', () => {
    let kept = NO_USE
    for (let now = 0; now < 30; now++) kept = settle(end({ now }), { use: kept }).use
    expect(kept.ended).toHaveLength(20)
    expect(kept.ended[0]).toEqual([10, 1, true])
  })
})
