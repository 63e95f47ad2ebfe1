import { assert, constantFrom, integer, nat, oneof, pre, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../../src/kernel/index.ts'
import { type Decision, decideBranches, decideVotes } from '../../../../src/kinds/pipeline/operations/people/consensus-decide.ts'
import { readVote, type Vote } from '../../../../src/kinds/pipeline/operations/people/consensus-vote.ts'
import { runDot } from '../engine/harness.ts'
import { around, evalWorld } from './eval-world.ts'

const cast = (vote: Vote['vote'], more: Partial<Vote> = {}): Vote => ({
  vote,
  confidence: 0.5,
  concerns: [],
  risk: 0,
  reasoning: '',
  ...more,
})
const votes = (approve: number, reject: number, abstain = 0): Vote[] => [
  ...Array.from({ length: approve }, () => cast('approve')),
  ...Array.from({ length: reject }, () => cast('reject')),
  ...Array.from({ length: abstain }, () => cast('abstain')),
]
const decided = (made: Decision | { readonly problem: string }): string => ('problem' in made ? made.problem : made.decision)

describe('reading a vote', () => {
  // proves: pipeline 4.6.1c
  test.each<[string, Vote['vote'] | undefined]>([
    ['{"vote":"approve","confidence":0.9}', 'approve'],
    ['```json\n{"vote": "reject"}\n```', 'reject'],
    ['I thought about it. {"why": {"a": 1}, "vote": "abstain"} That is all.', 'abstain'],
    ['first {"note": 1} then {"detail": {"vote": "reject"}}', 'reject'],
    ['I approve of this', 'approve'],
    ['We REJECTED it', 'reject'],
    ['I would approve it if others did not reject it', 'abstain'],
    ['I do not approve of this', 'abstain'],
    ["I can't approve", 'abstain'],
    ['I disapprove', 'abstain'],
    ['no opinion', 'abstain'],
    ['{"vote": "maybe"}', 'abstain'],
    ['', undefined],
    ['  \n', undefined],
  ])('%s', (text, vote) => {
    expect(readVote(text)?.vote).toBe(vote)
  })

  test('confidence is kept in bounds and 0.5 where nobody says it; concerns are texts alone', () => {
    expect(readVote('{"vote":"approve","confidence":7,"risk_score":-1,"concerns":["cost",3,""],"reasoning":"fine"}')).toEqual({
      vote: 'approve',
      confidence: 1,
      risk: 0,
      concerns: ['cost'],
      reasoning: 'fine',
    })
    expect(readVote('{"vote":"reject","confidence":"0.25"}')?.confidence).toBe(0.25)
    expect(readVote('approve')?.confidence).toBe(0.5)
  })

  test('never throws and never hangs, whatever is said', () => {
    assert(
      property(string({ maxLength: 300 }), (text) => {
        expect(readVote(`x${text}"vote"{"vote"${text}`)).toBeDefined()
      }),
    )
    expect(readVote('{"vote"'.repeat(8_000))?.vote).toBe('abstain')
  })
})

describe('counting votes', () => {
  // proves: pipeline 4.6.1b
  test.each<[approve: number, reject: number, abstain: number, unheard: number, quorum: string, decision: string]>([
    [2, 1, 0, 0, 'majority', 'approved'],
    [1, 2, 0, 0, 'majority', 'rejected'],
    [2, 2, 0, 0, 'majority', 'deadlock'],
    [2, 0, 0, 2, 'majority', 'deadlock'],
    [2, 0, 2, 0, 'majority', 'deadlock'],
    [3, 0, 0, 2, 'majority', 'approved'],
    [2, 1, 0, 0, 'supermajority', 'approved'],
    [3, 2, 0, 0, 'supermajority', 'deadlock'],
    [4, 2, 0, 0, 'supermajority', 'approved'],
    [3, 0, 0, 0, 'unanimous', 'approved'],
    [3, 0, 0, 1, 'unanimous', 'deadlock'],
    [0, 3, 0, 0, 'unanimous', 'rejected'],
    [1, 1, 0, 0, '1', 'deadlock'],
    [2, 1, 0, 0, '1', 'approved'],
    [2, 0, 0, 0, '3', 'deadlock'],
  ])('%i for, %i against, %i abstain, %i unheard, by %s: %s', (approve, reject, abstain, unheard, quorum, decision) => {
    expect(decided(decideVotes(votes(approve, reject, abstain), unheard, quorum))).toBe(decision)
  })

  test.each(['most', '0', '-1', '1.5', ''])('%j is no quorum', (quorum) => {
    expect(decided(decideVotes(votes(1, 0), 0, quorum))).toContain('a quorum must be')
  })

  test('what is told of them', () => {
    const council = [
      cast('approve', { confidence: 0.9, concerns: ['cost', 'time'] }),
      cast('reject', { confidence: 0.3, concerns: ['risk', 'cost'] }),
      cast('approve', { confidence: 0.6, concerns: ['cost', 'cost'] }),
    ]
    expect(decideVotes(council, 1, 'majority')).toEqual({
      decision: 'deadlock',
      approve_count: 2,
      reject_count: 1,
      abstain_count: 1,
      quorum_met: false,
      average_confidence: expect.closeTo(0.6) as number,
      primary_concerns: ['cost', 'time', 'risk'],
      recommendation: 'no agreement: 2 approve, 1 reject, 1 abstain; concerns: cost; time; risk',
    })
  })

  const count = nat(20)
  const quorum = oneof(constantFrom('majority', 'supermajority', 'unanimous'), integer({ min: 1, max: 30 }).map(String))
  // proves: pipeline 4.6.1d
  test('a tie never approves, an error never helps a side, and the sides mirror each other', () => {
    assert(
      property(count, count, count, count, quorum, (approve, reject, abstain, unheard, by) => {
        pre(approve + reject + abstain > 0)
        const made = decided(decideVotes(votes(approve, reject, abstain), unheard, by))
        if (approve === reject) expect(made).toBe('deadlock')
        if (made === 'approved') expect(approve).toBeGreaterThan(reject)
        const mirror = { approved: 'rejected', rejected: 'approved', deadlock: 'deadlock' }[made]
        expect(decided(decideVotes(votes(reject, approve, abstain), unheard, by))).toBe(mirror)
        const later = decided(decideVotes(votes(approve, reject, abstain), unheard + 1, by))
        if (made === 'deadlock') expect(later).toBe('deadlock')
        else expect([made, 'deadlock']).toContain(later)
      }),
    )
  })
})

describe('the branches of a parallel node', () => {
  const branch = (id: string, said: string, more: JsonObject = {}): JsonObject => ({
    id,
    status: 'success',
    context_updates: { last_response: said },
    ...more,
  })

  // proves: pipeline 4.6.1d
  test('what they answered, else vote.<id>, else their notes; those that failed abstain', () => {
    const results: Json = [
      branch('a', '{"vote":"approve"}'),
      branch('b', '', { context_updates: { 'vote.b': 'I approve' } }),
      { id: 'c', status: 'success', notes: 'reject' },
      branch('d', '{"vote":"reject"}', { status: 'fail' }),
      branch('e', ''),
    ]
    const made = decideBranches(results, 'majority')
    expect(made).toMatchObject({ decision: 'deadlock', approve_count: 2, reject_count: 1, abstain_count: 2 })
  })

  test('no results, and none that says anything, are problems', () => {
    expect(decided(decideBranches(undefined, 'majority'))).toBe('no parallel results')
    expect(decided(decideBranches([], 'majority'))).toBe('no parallel results')
    expect(decided(decideBranches([branch('a', 'approve', { status: 'fail' })], 'majority'))).toBe('no vote could be read')
  })

  const decide = (said: readonly string[], attributes = '', graph = '') =>
    runDot(around(`type="consensus.decide" ${attributes}`, graph), {
      values: { 'parallel.results': said.map((text, i) => branch(`b${i}`, text)) },
    })

  test('a decision is written, also one against', async () => {
    const went = await decide(['{"vote":"reject","concerns":["cost"],"confidence":0.8}', 'reject', 'approve'])
    expect(went.status).toBe('success')
    expect(went.context).toMatchObject({
      'council.decision': 'rejected',
      'council.approve_count': 1,
      'council.reject_count': 2,
      'council.abstain_count': 0,
      'council.quorum_met': true,
      'council.primary_concerns': ['cost'],
      'consensus.status': 'decided',
    })
    expect(went.context['council.average_confidence']).toBeCloseTo(0.6)
    expect(went.context).not.toHaveProperty(['council.recommendation'])
  })

  // proves: pipeline 4.6.1e
  test('a deadlock fails with its counts, and as advice it does not', async () => {
    const failed = await decide(['approve', 'reject'])
    expect(failed.reason).toContain('the council does not agree')
    expect(failed.context['council.decision']).toBe('deadlock')
    const advice = await decide(['approve', 'reject'], 'mode=advisory')
    expect(advice.status).toBe('success')
    expect(advice.context).toMatchObject({
      'council.decision': 'deadlock',
      'council.recommendation': 'no agreement: 1 approve, 1 reject, 0 abstain',
    })
    expect((await decide(['approve', 'reject'], '', 'mode=advisory')).status).toBe('success')
  })

  test('nothing to decide on, and a quorum that is none, fail', async () => {
    expect((await runDot(around('type="consensus.decide"'))).reason).toContain('no parallel results')
    expect((await decide(['approve'], 'quorum=lots')).reason).toContain('a quorum must be')
  })
})

describe('a council of this process', () => {
  const proposal = { values: { 'session.input': 'buy a boat' } }
  const says =
    (by: Readonly<Record<string, string>>) =>
    ({ system }: { readonly system: string }) => {
      const [, view = ''] = /point of view: (\w+)/.exec(system) ?? []
      return by[view] ?? 'no opinion'
    }

  // proves: pipeline 4.6.1a
  test('asks each evaluator for its view, and decides', async () => {
    const world = evalWorld({ say: says({ cost: '{"vote":"approve"}', risk: '{"vote":"approve"}', taste: 'reject' }) })
    const went = await runDot(around('type="consensus.ask" evaluators="cost, risk, taste" timeout="4s"'), {
      ...proposal,
      ports: world.ports,
    })
    expect(went.context).toMatchObject({
      'consensus.decision': 'approved',
      'consensus.recommendation': 'approve: 2 approve, 1 reject, 0 abstain',
      'consensus.status': 'decided',
    })
    expect(world.heard.map(({ label }) => label)).toEqual(['g/n/cost', 'g/n/risk', 'g/n/taste'])
    expect(world.heard.every(({ prompt, request }) => prompt.includes('buy a boat') && request.timeout === 4_000)).toBe(true)
  })

  test('an evaluator that fails abstains; when all fail the node does, and may be tried again', async () => {
    const some = evalWorld({ say: ({ system }) => (system.includes('view: b.') ? { fails: 'bad' } : 'approve') })
    const went = await runDot(around('type="consensus.ask" evaluators="a,b"'), { ...proposal, ports: some.ports })
    expect(went.context['consensus.decision']).toBe('deadlock')
    const none = evalWorld({ say: () => ({ fails: 'busy' }) })
    const failed = await runDot(around('type="consensus.ask" max_retries=1'), { ...proposal, ports: none.ports })
    expect(failed.reason).toContain('busy')
    expect(none.heard).toHaveLength(6)
  })

  // proves: pipeline 4.6.1a
  test('a proposal is kept, awaited and looked up', async () => {
    const world = evalWorld({ say: () => 'approve' })
    const went = await runDot(
      `digraph g { start [shape=Mdiamond] done [shape=Msquare]
        put [type="consensus.propose", agent_id=ana, evaluators="x,y,z"]
        ask [type="consensus.check"]
        wait [type="consensus.await"]
        start -> put -> ask -> wait -> done }`,
      { ...proposal, ports: world.ports },
    )
    expect(went.status).toBe('success')
    const id = went.context['consensus.proposal_id']
    expect(went.context).toMatchObject({ 'consensus.status': 'decided', 'consensus.decision': 'approved' })
    const kept = await world.ledger(`consensus/${went.run.id}`)
    expect(kept).toMatchObject([
      { proposal: { text: 'buy a boat', agent: 'ana', evaluators: ['x', 'y', 'z'], quorum: 'majority' } },
      { decided: id, decision: 'approved' },
    ])
  })

  test('waiting for a decision that does not come ends pending, after its time', async () => {
    const world = evalWorld({ say: () => ({ fails: 'bad' }) })
    const went = await runDot(
      `digraph g { start [shape=Mdiamond] done [shape=Msquare]
        put [type="consensus.propose"]
        wait [type="consensus.await", proposal_id="proposal-1", timeout="10s"]
        start -> put -> wait [label=fail] wait -> done }`,
      { ...proposal, ports: world.ports },
    )
    expect(went.status).toBe('success')
    expect(went.context['consensus.status']).toBe('pending')
    expect(went.took).toBe(10_000)
  })

  test('no text, no proposal, one that nobody made, and a bad quorum fail before anybody is asked', async () => {
    const world = evalWorld()
    const fails = async (node: string, values = {}) => (await runDot(around(node), { values, ports: world.ports })).reason
    expect(await fails('type="consensus.propose"')).toContain('the context has no session.input')
    expect(await fails('type="consensus.await"')).toContain('proposal_id is missing')
    expect(await fails('type="consensus.check", proposal_id="proposal-9"')).toContain('there is no proposal')
    expect(await fails('type="consensus.check", proposal_id="../other"')).toContain('there is no proposal')
    expect(await fails('type="consensus.ask", quorum=none', { 'session.input': 'x' })).toContain('a quorum must be')
    expect(world.heard).toEqual([])
  })
})
