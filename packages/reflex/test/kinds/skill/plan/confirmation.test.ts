import { describe, expect, it } from 'vitest'
import { autoAnswers } from '../../../../src/people/index.ts'
import { life } from '../../../wrap/session/world.ts'
import { decisionsOf } from '../../../learn/registry/world.ts'
import { type Calls, manifestOf, noted, onDisk } from './hidden.ts'

const POLICY = { policy: { require_confirmation: true } }
const INPUT = { to: 'ana', pin: '4711-0815' }

/** A skill with one slot and one step. */
const ONE_SLOT = {
  signature: { inputs: [{ name: 'to', type: 'string' }], outputs: [] },
  plan: {
    idempotence_key: 'mail:{{to}}',
    steps: [{ id: 'post', tool: 'mail.post', args: { to: '{{to}}' } }],
    compensation: 'none',
    irreversible_reason: 'a mail stays',
  },
}

const tools = (calls: Calls) => [
  noted(calls, 'mail.login', () => ({ session: 's-1' })),
  noted(calls, 'mail.post', () => ({ sent: true })),
  noted(calls, 'mail.undo', () => null),
]

const begin = ({ reflex }: ReturnType<typeof onDisk>, input: object = INPUT, change: object = {}) =>
  reflex.run(manifestOf({ ...POLICY, ...change }), { input: input as never, skill: { draft: true } })

/** Answers the only open question, and runs on until the end. */
async function answer({ reflex }: ReturnType<typeof onDisk>, word: string) {
  const [open] = await reflex.inbox()
  const { handle } = await reflex.answer(open?.id ?? '', word)
  await handle?.idle()
  return handle
}

describe('a skill that a person has to confirm, called by name', () => {
  // proves: skill 57
  it('asks with the values of its slots and what it changes, and runs after a yes', async () => {
    const calls: Calls = []
    const one = onDisk({ tools: tools(calls) })
    const run = await begin(one)
    expect([run.status, calls]).toEqual(['suspended', []])
    const [open] = await one.reflex.inbox()
    expect(open?.question.text.split('\n')).toEqual([
      'Carry out mail.send@1.0.0?',
      'to: "ana"',
      'token: "vault://mail/token"',
      'pin: "‹redacted›"',
      'changes: sent:mail',
    ])
    expect(open?.question).toMatchObject({ options: [{ value: 'yes' }, { value: 'no' }], about: { inputs: { pin: '‹redacted›' } } })
    expect(one.files()).not.toContain(INPUT.pin)
    const done = await answer(one, 'yes')
    expect(done?.failure?.message).toContain('arbor://secret/vault/mail/token')
  })

  // proves: skill 57
  it.each(['yes', 'no'])('resumes in another process after the answer %s, and replays equal', async (word) => {
    const calls: Calls = []
    const first = onDisk({ tools: tools(calls) })
    const { id } = await begin(first, { to: 'ana' }, ONE_SLOT)
    await first.reflex.close()
    const second = onDisk({ tools: tools(calls), workdir: first.reflex.workdir })
    const run = await answer(second, word)
    const [decision] = await decisionsOf(second.reflex, id)
    if (word === 'yes') expect([run?.status, decision?.reason, calls.length]).toEqual(['completed', 'approved', 1])
    else {
      expect(run?.failure).toMatchObject({ code: 'R1470', rule: 'policy.confirmation' })
      expect([decision?.reason, calls]).toEqual(['policy.confirmation', []])
    }
    expect((await second.reflex.replay(id)).difference).toBeUndefined()
  })

  it('is asked again for other arguments, and in each execution', async () => {
    const calls: Calls = []
    const one = onDisk({ tools: tools(calls) })
    for (const to of ['ana', 'bob', 'ana']) {
      await begin(one, { to }, ONE_SLOT)
      const [open] = await one.reflex.inbox()
      expect(open?.question.text).toContain(`to: "${to}"`)
      expect((await answer(one, 'no'))?.failure?.rule).toBe('policy.confirmation')
    }
    expect(calls).toEqual([])
  })

  it('is not confirmed by a default answer, and asks nobody if something else denies it, in advice and in a simulation', async () => {
    const calls: Calls = []
    const one = onDisk({ tools: tools(calls) })
    await begin(one, { to: 'ana' }, ONE_SLOT)
    const [open] = await one.reflex.inbox()
    expect(open === undefined ? undefined : autoAnswers.answer(open)).toBeUndefined()
    expect(open?.asker).toBe('permission')
    const denied = await begin(one, { to: 'ana' }, { ...ONE_SLOT, policy: { ...POLICY.policy, allow_roles: ['boss'] } })
    expect(denied.failure?.rule).toBe('policy.role')
    const advised = onDisk({ tools: tools(calls), skill: { policyMode: 'advise' } })
    expect((await begin(advised, { to: 'ana' }, ONE_SLOT)).status).toBe('completed')
    const shadowed = onDisk({ tools: tools(calls), skill: { mode: 'shadow' } })
    expect((await begin(shadowed, { to: 'ana' }, ONE_SLOT)).failure?.rule).toBe('policy.confirmation')
    const simulated = await one.reflex.run(manifestOf({ ...POLICY, ...ONE_SLOT }), { input: { to: 'ana' }, simulate: true })
    expect(simulated.status).toBe('completed')
    expect(calls).toHaveLength(1)
  })
})

it('a host whose confirm is no function is refused at the start', () => {
  expect(() => life({ skill: { confirm: true as never } })).toThrow('confirm')
})
