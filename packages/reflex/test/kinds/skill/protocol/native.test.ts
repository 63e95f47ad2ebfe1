// proves: skill 81, skill 85, skill 86
import { describe, expect, it } from 'vitest'
import { digest } from '../../../../src/kernel/index.ts'
import type { ReplyOutcome } from '../../../../src/kinds/skill/model/protocol.ts'
import { PROTOCOL_TOOLS, type ReplyCall } from '../../../../src/kinds/skill/protocol/native.ts'
import { MAX_MALFORMED_REPLIES, readReply, ReplyReader } from '../../../../src/kinds/skill/protocol/reply-reader.ts'

function readCalls(calls: readonly ReplyCall[], text = ''): ReplyOutcome {
  const reader = new ReplyReader()
  reader.text(text)
  for (const call of calls) {
    reader.startCall(call.name)
    reader.call(call)
  }
  return reader.end().outcome
}

const propose = (id: string, args: unknown): ReplyCall => ({ id, name: 'reflex_propose', arguments: args })

describe('a call of the native carrier', () => {
  it.each([
    '{"skill_id":"deploy.app","inputs":{"tag":"v1"},"why":"asked"}',
    '{"skill_id":"deploy.app@1.3.0"}',
    '{"skill_id":"deploy.app","inputs":{"tag":"v1"},"extra":1}',
    '{"skill_id":"deploy.app",}',
    '{"skill_id":"deploy.app","skill_id":"b"}',
    '{"inputs":{}}',
    '[]',
  ])('means what the same text means: %s', (body) => {
    const byText = readReply(`<SKILL_PROPOSE>${body}</SKILL_PROPOSE>`)
    const byCall = readCalls([propose('call_1', body)])
    const plain = ({ proposals, rejections, notes, malformed }: ReplyOutcome): unknown => ({
      proposals: proposals.map((proposal) => ({ ...proposal, carrier: '', callIds: [] })),
      rejections: rejections.map((rejection) => ({ ...rejection, callIds: [] })),
      notes,
      malformed,
    })
    expect(plain(byCall)).toEqual(plain(byText))
    expect([...byCall.proposals, ...byCall.rejections].map(({ callIds }) => callIds)).toEqual([['call_1']])
  })

  it('takes arguments that the provider has parsed', () => {
    expect(readCalls([propose('c', { skill_id: 'a', inputs: { x: 1 } })]).proposals[0]?.inputs).toEqual({ x: 1 })
  })

  it('refuses arguments that are not JSON, and never throws', () => {
    const cycle: Record<string, unknown> = { skill_id: 'a' }
    cycle['inputs'] = cycle
    for (const args of [undefined, cycle, 7n, () => 'x', { skill_id: 'a', inputs: { x: 'y'.repeat(9000) } }])
      expect(readCalls([propose('c', args)])).toMatchObject({ proposals: [], malformed: true })
  })

  it('asks the user', () => {
    const outcome = readCalls([{ id: 'c', name: 'reflex_clarify', arguments: { questions: [{ slot: 'tag', question: 'Which tag?' }] } }])
    expect(outcome.clarification).toEqual({ carrier: 'tool', questions: [{ slot: 'tag', question: 'Which tag?' }], callIds: ['c'] })
  })

  it('answers each call of identical proposals with one result', () => {
    const outcome = readCalls([propose('c1', { skill_id: 'a' }), propose('c2', { skill_id: 'a' }), propose('c3', { skill_id: 'b' })])
    expect(outcome.proposals.map(({ callIds }) => callIds)).toEqual([['c1', 'c2']])
    expect(outcome.rejections).toMatchObject([{ reason: 'too_many', callIds: ['c3'] }])
  })

  it('gives way to a question of the same reply', () => {
    const ask = { id: 'c2', name: 'reflex_clarify', arguments: { questions: [{ question: 'Which?' }] } }
    expect(readCalls([propose('c1', { skill_id: 'a' }), ask])).toMatchObject({
      proposals: [],
      rejections: [{ reason: 'clarify_pending', callIds: ['c1'] }],
    })
  })
})

describe('calls of the own tools of an agent', () => {
  it('are dropped after a proposal, which they were written without the result of', () => {
    const reader = new ReplyReader()
    reader.startCall('reflex_propose')
    reader.call(propose('c1', { skill_id: 'a' }))
    expect(reader.startCall('search').keeps).toBe(false)
    expect(reader.end().outcome).toMatchObject({ ownCalls: 0, notes: [{ kind: 'asp.tail_dropped', detail: 'call of search' }] })
  })

  it('come first if they are first: the proposal is not decided', () => {
    const reader = new ReplyReader()
    expect(reader.startCall('search').keeps).toBe(true)
    expect(reader.startCall('reflex_propose').keeps).toBe(false)
    reader.call(propose('c1', { skill_id: 'a' }))
    expect(reader.end().outcome).toMatchObject({ proposals: [], ownCalls: 1, notes: [{ kind: 'asp.calls_first' }] })
  })

  it('stay after text without a block, which is shown before them', () => {
    const reader = new ReplyReader()
    expect(reader.text('Look\n  <SKILL')).toBe('Look\n')
    expect(reader.startCall('search')).toEqual({ keeps: true, text: '  <SKILL' })
    expect(reader.end().outcome).toMatchObject({ ownCalls: 1, visible: 'Look\n  <SKILL' })
  })
})

describe('the tools of the protocol', () => {
  it('have constant bytes', () => {
    expect(digest(JSON.stringify(PROTOCOL_TOOLS))).toMatchInlineSnapshot(
      `"f3323e5c1240905a757a9d68e99f042fb92434747eb7563506d89531f58ece4b"`,
    )
  })
})

describe('two malformed replies of a turn', () => {
  it('turn the protocol off, for both carriers, and the next reply is text', () => {
    const replies = [
      '<SKILL_PROPOSE>{</SKILL_PROPOSE>',
      '<SKILL_PROPOSE>[</SKILL_PROPOSE>',
      '<SKILL_PROPOSE>{"skill_id":"a"}</SKILL_PROPOSE>\nBye',
    ]
    let malformed = 0
    const outcomes = replies.map((reply) => {
      const reader = new ReplyReader({ enabled: malformed < MAX_MALFORMED_REPLIES })
      reader.text(reply)
      const { outcome } = reader.end()
      if (outcome.malformed) malformed++
      return outcome
    })
    expect(outcomes.map(({ rejections }) => rejections.length)).toEqual([1, 1, 0])
    expect(outcomes[2]).toMatchObject({ visible: replies[2], proposals: [] })
    const reader = new ReplyReader({ enabled: false })
    reader.startCall('reflex_propose')
    reader.call(propose('c', { skill_id: 'a' }))
    expect(reader.end().outcome).toMatchObject({
      proposals: [],
      malformed: false,
      rejections: [{ detail: 'skills are off for this turn' }],
    })
  })
})
