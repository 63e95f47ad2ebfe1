import { describe, expect, it } from 'vitest'
import { isObject } from '../../../../src/kernel/index.ts'
import { faults } from '../../../../src/kinds/skill/plan/faults.ts'
import { AGENT, PlanWorld } from './world.ts'

const failure = new Error('404')

describe('a plan', () => {
  // proves: skill 117
  it('runs its steps in their order and maps its result', async () => {
    const world = new PlanWorld({ set: 'https://x' })
    const [status, value] = await world.ran({ steps: [{ id: 'set' }, { id: 'restart' }] })
    expect([status, value]).toEqual(['done', { endpoint: 'https://x' }])
    expect(world.calls).toEqual(['set', 'restart'])
  })

  // proves: skill 62
  it('has one decision, at the latest in the record that requests its first step', async () => {
    const world = new PlanWorld()
    const run = await world.start({ steps: [{ id: 'a' }, { id: 'b' }], keyed: true })
    const { records } = await world.world.runtime.history(run.id)
    const decided = records.flatMap(({ more }, n) => (isObject(more?.note) && more.note['decision'] !== undefined ? [n] : []))
    const called = records.flatMap(({ requests = [] }, n) => (requests.some(([port]) => port === 'tool') ? [n] : []))
    expect([decided.length, called.length]).toEqual([1, 2])
    expect(decided[0]).toBeLessThanOrEqual(called[0] ?? 0)
  })

  // proves: skill 117
  it('skips a step whose guard is false, or stops, as the step says', async () => {
    const world = new PlanWorld()
    await world.ran({ steps: [{ id: 'a', guard: false, skip: true }, { id: 'b' }] })
    expect(world.calls).toEqual(['b'])
    const [, value] = await world.ran({ steps: [{ id: 'a', guard: false }, { id: 'b' }] }, AGENT)
    expect(value).toMatchObject({ status: 'failed', reason: 'guard', detail: 'a: the guard is false' })
    expect(world.calls).toEqual(['b'])
  })

  // proves: skill 117
  it('captures what later steps and the caller read', async () => {
    const world = new PlanWorld({ show: 'v1' })
    const run = await world.start({ steps: [{ id: 'show', free: true, capture: 'work.prev' }], writes: ['work.prev', 'work.endpoint'] })
    expect(run.state.root.reader().get('work.prev')).toBe('v1')
    expect(run.state.root.reader().get('work.endpoint')).toBe('v1')
  })

  // proves: skill 124
  it('stops at a write that it does not declare', async () => {
    const [, value] = await new PlanWorld().ran({ steps: [{ id: 'show', free: true, capture: 'work.other' }] }, AGENT)
    expect(value).toMatchObject({ status: 'failed', reason: 'undeclared_write' })
  })

  // proves: skill 118
  it('does not begin a step that its budget does not cover', async () => {
    const world = new PlanWorld()
    const [, value] = await world.ran({ steps: [{ id: 'a' }, { id: 'b', cost: 2 }], budget: 1 }, AGENT)
    expect(value).toMatchObject({ status: 'partial_failure', reason: 'budget_exceeded', compensated: 'none' })
    expect(world.calls).toEqual(['a'])
  })

  // proves: skill 115
  it('retries only what may be repeated, after a pause', async () => {
    const busy = faults.make('R1473', 'busy')
    let tries = 0
    const world = new PlanWorld({ a: () => (++tries < 3 ? busy : 'ok'), b: busy })
    const run = await world.start(
      {
        steps: [
          { id: 'a', free: true, retries: 2 },
          { id: 'b', retries: 2 },
        ],
      },
      AGENT,
    )
    expect(world.calls).toEqual(['a'])
    for (const pause of [100, 200]) {
      await world.world.host.advance(pause)
      await run.idle()
    }
    expect(world.calls).toEqual(['a', 'a', 'a', 'b'])
    expect(run.state.ended?.value).toMatchObject({ status: 'failed', reason: 'step_error' })
  })

  // proves: skill 67
  it('asks a caller that is no agent for what is missing, and goes on with the answer', async () => {
    const world = new PlanWorld()
    const run = await world.start({ steps: [{ id: 'a' }], asks: 'app' })
    const [wait] = [...run.state.waits.values()]
    expect(wait?.about).toMatchObject({ text: 'Which value for app?' })
    await run.answer(wait?.id ?? '', { app: 'pay' })
    await run.idle()
    expect(run.state.ended?.status).toBe('done')
  })

  // proves: skill 67
  it('tells an agent what is missing, and runs nothing', async () => {
    const world = new PlanWorld()
    const [, value] = await world.ran({ steps: [{ id: 'a' }], asks: 'app' }, AGENT)
    expect(value).toMatchObject({ status: 'clarify', missing: [{ slot: 'app' }] })
    expect(world.calls).toEqual([])
  })

  it('runs nothing that the gate denies', async () => {
    const world = new PlanWorld()
    expect((await world.ran({ steps: [{ id: 'a' }], deny: true }, AGENT))[1]).toMatchObject({ status: 'denied', reason: 'below_tau' })
    const [status, value] = await world.ran({ steps: [{ id: 'a' }], deny: true })
    expect([status, value]).toMatchObject(['failed', { code: 'R1470' }])
    expect(world.calls).toEqual([])
  })
})

describe('a plan that fails', () => {
  const UNDOS = [{ id: 'undo-a', of: 'a' }, { id: 'undo-b', of: 'b' }, { id: 'clean' }]

  it('undoes also in a pause of the skill', async () => {
    const world = new PlanWorld({ b: failure })
    const [, value] = await world.ran({ steps: [{ id: 'a' }, { id: 'b' }], undos: UNDOS, cooldown: 30 }, AGENT)
    expect(value).toMatchObject({ status: 'partial_failure', compensated: 'full' })
    expect(world.calls).toEqual(['a', 'b', 'undo-a', 'clean'])
  })

  // proves: skill 119
  it('undoes nothing if nothing has happened', async () => {
    const world = new PlanWorld({ a: failure })
    const [, value] = await world.ran({ steps: [{ id: 'a' }], undos: UNDOS }, AGENT)
    expect(value).toMatchObject({ status: 'failed', reason: 'step_error' })
    expect(world.calls).toEqual(['a'])
  })

  // proves: skill 120
  it('undoes what has happened, the last step first, then the rest as declared', async () => {
    const world = new PlanWorld({ c: failure })
    const [, value] = await world.ran({ steps: [{ id: 'a' }, { id: 'b' }, { id: 'c' }], undos: UNDOS }, AGENT)
    expect(value).toMatchObject({ status: 'partial_failure', compensated: 'full' })
    expect(world.calls).toEqual(['a', 'b', 'c', 'undo-b', 'undo-a', 'clean'])
  })

  // proves: skill 121
  it('carries out the undos of its cause alone', async () => {
    const world = new PlanWorld({ b: failure })
    const undos = [
      { id: 'late', when: 'timeout' },
      { id: 'always', when: 'any' },
      { id: 'partly', when: 'partial_failure' },
    ]
    await world.ran({ steps: [{ id: 'a' }, { id: 'b' }], undos }, AGENT)
    expect(world.calls).toEqual(['a', 'b', 'always', 'partly'])
  })

  // proves: skill 122
  it('goes on with the other undos if one fails, says so, and takes the skill out of use', async () => {
    const world = new PlanWorld({ c: failure, 'undo-b': failure })
    const [, value] = await world.ran({ steps: [{ id: 'a' }, { id: 'b' }, { id: 'c' }], undos: UNDOS }, AGENT)
    expect(value).toMatchObject({ status: 'partial_failure', compensated: 'partial', detail: 'rollback incomplete' })
    expect(world.calls.slice(3)).toEqual(['undo-b', 'undo-a', 'clean'])
    const { entries } = await world.store.latest('skill/acme/staging', ['state/deploy@1.0.0'])
    expect(entries[0]?.value).toMatchObject({ state: 'quarantined' })
  })

  it('undoes the rest in a process that comes a day later', async () => {
    const world = new PlanWorld({ c: failure, 'undo-b': 'hangs' })
    const { id } = await world.startUntil('undo-b', { steps: [{ id: 'a' }, { id: 'b' }, { id: 'c' }], undos: UNDOS }, AGENT)
    const later = new PlanWorld({}, { store: world.store, at: world.world.host.now() + 86_400_000 })
    const run = await later.world.runtime.resume(id)
    await run.idle()
    expect(run.state.ended?.value).toMatchObject({ status: 'partial_failure', reason: 'step_error', compensated: 'full' })
    expect(later.calls).toEqual(['undo-b', 'undo-a', 'clean'])
  })

  it('undoes what a result without its outputs has done', async () => {
    const world = new PlanWorld()
    const [, value] = await world.ran({ steps: [{ id: 'a' }], undos: UNDOS, badResult: true }, AGENT)
    expect(value).toMatchObject({ status: 'partial_failure', reason: 'result', compensated: 'full' })
    expect(world.calls).toEqual(['a', 'undo-a', 'clean'])
  })

  // proves: skill 116
  it('does not know what a step has done whose time is over', async () => {
    const world = new PlanWorld({ a: 'hangs' })
    const run = await world.startUntil('a', { steps: [{ id: 'a', timeout: 1000 }], undos: UNDOS }, AGENT)
    expect(run.state.ended).toBeUndefined()
    await world.world.host.advance(1000)
    await run.idle()
    expect(run.state.ended?.value).toMatchObject({ status: 'partial_failure', reason: 'timeout', compensated: 'full' })
    expect(world.calls).toEqual(['a', 'undo-a', 'clean'])
  })

  // proves: skill 108
  it('undoes what has happened when it is cancelled', async () => {
    const world = new PlanWorld({ b: 'hangs' })
    const run = await world.startUntil('b', { steps: [{ id: 'a' }, { id: 'b' }], undos: UNDOS }, AGENT)
    await run.cancel('enough')
    await run.idle()
    expect(run.state.ended?.value).toMatchObject({ status: 'partial_failure', reason: 'cancelled' })
    expect(world.calls).toEqual(['a', 'b', 'undo-b', 'undo-a', 'clean'])
  })
})

describe('a key', () => {
  const KEYED = { steps: [{ id: 'a' }], keyed: true }

  // proves: skill 125
  it('answers a second execution from the first', async () => {
    const world = new PlanWorld({ a: 'https://x' })
    await world.ran(KEYED, { app: 'pay', ...AGENT })
    const [, value] = await world.ran(KEYED, { app: 'pay', ...AGENT })
    expect(value).toMatchObject({ status: 'noop', outputs: { endpoint: 'https://x' } })
    expect(world.calls).toEqual(['a'])
  })

  // proves: skill 126
  it('refuses other arguments', async () => {
    const world = new PlanWorld()
    await world.ran(KEYED, { app: 'pay', ...AGENT })
    const [, value] = await world.ran(KEYED, { app: 'pay', n: 2, ...AGENT })
    expect(value).toMatchObject({ status: 'denied', reason: 'admission.idempotence_conflict' })
  })

  // proves: skill 127
  it('lets one of two executions run', async () => {
    const world = new PlanWorld({ a: 'hangs' })
    await world.startUntil('a', KEYED, { app: 'pay', ...AGENT })
    const [, value] = await world.ran(KEYED, { app: 'pay', ...AGENT })
    expect(value).toMatchObject({ status: 'denied', reason: 'admission.idempotence_in_progress' })
    expect(world.calls).toEqual(['a'])
  })

  // proves: skill 131
  it('is free again after a failure that left nothing', async () => {
    const world = new PlanWorld({ a: failure })
    await world.ran(KEYED, { app: 'pay', ...AGENT })
    world.does('a', 'ok')
    expect((await world.ran(KEYED, { app: 'pay', ...AGENT }))[1]).toMatchObject({ status: 'ok' })
  })

  // proves: skill 128
  it('is verified before a stored success is used again', async () => {
    const world = new PlanWorld({ verify: true })
    const source = { ...KEYED, verify: true }
    await world.ran(source, { app: 'pay', ...AGENT })
    expect((await world.ran(source, { app: 'pay', ...AGENT }))[1]).toMatchObject({ status: 'noop' })
    world.does('verify', false)
    expect((await world.ran(source, { app: 'pay', ...AGENT }))[1]).toMatchObject({ status: 'ok' })
    expect(world.calls).toEqual(['a', 'verify', 'verify', 'a'])
  })

  it('gives the tool the same key in all runs', async () => {
    const world = new PlanWorld({ a: failure })
    await world.ran(KEYED, { app: 'pay', ...AGENT })
    await world.ran(KEYED, { app: 'pay', ...AGENT })
    expect(new Set(world.keys).size).toBe(1)
  })
})

describe('an execution', () => {
  // proves: skill 132, skill 133
  it('keeps a pause and the number of those that go on', async () => {
    const world = new PlanWorld()
    await world.ran({ steps: [{ id: 'a' }], cooldown: 30 })
    const [, value] = await world.ran({ steps: [{ id: 'a' }], cooldown: 30 }, AGENT)
    expect(value).toMatchObject({ status: 'denied', reason: 'admission.cooldown' })
    world.does('a', 'hangs')
    await world.startUntil('a', { steps: [{ id: 'a' }] })
    expect((await world.ran({ steps: [{ id: 'a' }] }, AGENT))[1]).toMatchObject({ reason: 'admission.concurrency' })
  })

  // proves: skill 53
  it('is taken out of use after three failures', async () => {
    const world = new PlanWorld({ a: failure })
    for (let i = 0; i < 3; i++) await world.ran({ steps: [{ id: 'a' }] })
    const { entries } = await world.store.latest('skill/acme/staging', ['state/deploy@1.0.0'])
    expect(entries[0]?.value).toMatchObject({ state: 'quarantined' })
  })
})
