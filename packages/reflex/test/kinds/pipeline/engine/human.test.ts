import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/kernel/index.ts'
import { runDot, told, type World } from './harness.ts'

const dot = (gate: string, edges: string, more = '') => `digraph g {
  start [shape=Mdiamond]
  gate [shape=hexagon${gate}]
  yes [type="wait.timer", duration="1ms"]
  no [type="wait.timer", duration="1ms"]
  done [shape=Msquare]
  start -> gate
  ${edges}
  yes -> done
  no -> done
  ${more}
}`
const LABELLED = 'gate -> yes [label="[A] Approve"] gate -> no [label="R) Reject"] gate -> done [label="L - Later"]'
const run = (gate: string, answer: Json, edges = LABELLED, world: World = {}) =>
  runDot(dot(gate, edges), { ...world, answers: { gate: answer } })

describe('choices (reference pipeline 7.3)', () => {
  // proves: pipeline 7.3b
  test.each([
    ['Approve', 'yes', 'A', 'Approve'],
    ['r', 'no', 'R', 'Reject'],
    ['no', 'no', 'R', 'Reject'],
    ['[A] approve', 'yes', 'A', 'Approve'],
    ['3', 'done', 'L', 'Later'],
    ['lat', 'done', 'L', 'Later'],
  ])('%s goes to %s', async (answer, to, key, label) => {
    const { trail, context } = await run(', label="Ship it?"', answer)
    expect(trail).toEqual(to === 'done' ? ['start', 'gate', 'done'] : ['start', 'gate', to, 'done'])
    expect([context['human.gate.selected'], context['human.gate.label']]).toEqual([key, label])
  })

  // proves: pipeline 3.3a
  test('an edge that a person chose is followed whatever its condition is', async () => {
    const { trail } = await run('', 'Go', 'gate -> yes [label="Go", condition="context.never=true"] gate -> no [label="Stop"]')
    expect(trail).toContain('yes')
  })

  // proves: pipeline 7.3a, pipeline 7.3b
  test('edges to the same node are separate choices, and keys are unique', async () => {
    const went = await runDot(dot('', 'gate -> yes [label="Same"] gate -> yes [label="Same"] gate -> no'))
    const [wait] = went.run.state.waits.values()
    expect(wait?.about).toMatchObject({
      text: 'Select an option:',
      options: [
        { value: 'Same', key: 'S' },
        { value: 'Same (A)', key: 'A' },
        { value: 'no', key: 'N' },
      ],
    })
  })

  test('an invalid choice is asked again, three times', async () => {
    const went = await run('', 'perhaps')
    expect(went.status).toBe('failed')
    expect(went.reason).toContain('3 answers matched none of Approve, Reject, Later')
  })

  // proves: pipeline 7.3a
  test('a question without choices fails', async () => {
    expect(
      (
        await runDot(
          'digraph g { start [shape=Mdiamond] gate [shape=hexagon] done [shape=Msquare] start -> gate [weight=2] start -> done }',
        )
      ).reason,
    ).toContain('no choices')
  })

  // proves: pipeline 7.3f
  test('a person who skips fails the stage', async () => {
    expect((await run('', { skipped: true })).reason).toContain('human skipped interaction')
  })
})

describe('nobody answers', () => {
  const silent = (gate: string) => runDot(dot(gate, LABELLED))

  // proves: pipeline 7.3d
  test('the default is used, by any of its names', async () => {
    for (const name of ['R', 'reject', 'no']) {
      const { trail, context, took } = await silent(`, "human.timeout_seconds"=90, "human.default_choice"="${name}"`)
      expect(trail).toContain('no')
      expect(context['human.gate.timed_out']).toBe(true)
      expect(took).toBeGreaterThanOrEqual(90_000)
    }
  })

  // proves: pipeline 7.3e
  test('without a default the stage is retried, then fails', async () => {
    const went = await silent(', timeout="1m", max_retries=1')
    expect(told(went, 'stage_retrying')).toHaveLength(1)
    expect(went.reason).toContain('human gate timeout, no default')
  })
})

describe('other forms', () => {
  // proves: pipeline 7.3g
  test('accepts text if the node asks for it', async () => {
    const { context, trail } = await run(', question_type="freeform"', 'use the old door', 'gate -> yes [weight=2] gate -> no')
    expect(context['human.gate.text']).toBe('use the old door')
    expect(trail).toContain('yes')
  })

  test('accepts a choice or text', async () => {
    const { trail, context } = await run(', question_type="free_text"', 'Reject')
    expect([trail.includes('no'), context['human.gate.text']]).toEqual([true, 'Reject'])
  })

  // proves: pipeline 4.11b
  test.each<[Json, string, string]>([
    ['yes', 'approved', 'Y'],
    ['n', 'rejected', 'N'],
    ['nonsense', 'rejected', 'N'],
  ])('a wait without labels asks yes or no: %s', async (answer, status, key) => {
    const went = await runDot('digraph g { start [shape=Mdiamond] gate [type="wait"] done [shape=Msquare] start -> gate -> done }', {
      answers: { gate: answer },
    })
    expect([went.status, went.context['approval.status'], went.context['human.gate.selected']]).toEqual(['success', status, key])
  })

  test('the question contains what the person reviewed', async () => {
    const went = await runDot(dot(', reviews_keys="plan, missing"', LABELLED), { values: { plan: 'sleep' } })
    const [wait] = went.run.state.waits.values()
    expect(wait?.about).toMatchObject({ about: { plan: 'sleep' } })
  })
})
