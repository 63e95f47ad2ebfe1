// proves: skill 76, skill 86, skill 111, skill 112
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../src/kernel/index.ts'
import { readReply } from '../../../src/kinds/skill/protocol/reply-reader.ts'
import type { CanonicalReply, Replacement } from '../../../src/wrap/dialects/contract.ts'
import type { Fields } from '../../../src/wrap/dialects/loose.ts'
import { readCanonicalReply } from '../../../src/wrap/dialects/read-reply.ts'
import { SAMPLES } from '../../kinds/skill/protocol/samples.ts'
import type { Message, Said } from './fixture.ts'
import { FIXTURES } from './fixtures.ts'

const PROPOSAL = '<SKILL_PROPOSE>{"skill_id":"deploy.app","inputs":{"tag":"v1"}}</SKILL_PROPOSE>'
const propose = (id: string): Said => ({ id, name: 'reflex_propose', args: '{"skill_id":"deploy.app","inputs":{"tag":"v1"}}' })
const search = (id: string): Said => ({ id, name: 'search', args: '{"q":"tags"}' })
const NOTHING = { guidance: '', tools: false, bulletins: new Map(), splices: new Map() }

const REPLIES: readonly (readonly Said[])[] = [
  ['Nothing to do.'],
  [`On it.\n${PROPOSAL}\nIt is deployed.`],
  ['I look it up.', search('c1')],
  [search('c1'), search('c2')],
  ['On it.', propose('c1')],
  [propose('c1'), search('c2')],
  [search('c1'), propose('c2')],
  [propose('c1'), propose('c2')],
  [`Now.\n${PROPOSAL}\n`, search('c1')],
  ['Text\n  <SKILL_', search('c1')],
  ['<SKILL_PROPOSE>{"skill_id":'],
  ['```\nfence'],
]

/** What an agent sees of a reply. */
function seen(reply: CanonicalReply): unknown {
  const texts = reply.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []))
  const calls = reply.parts.flatMap((part) => (part.kind === 'call' ? [[part.id, part.name, part.arguments]] : []))
  return { text: texts.join(''), calls, usage: reply.usage }
}

describe.each(FIXTURES)('$dialect.name', ({ dialect, request, response, chunks, joined }) => {
  const conversation: readonly Message[] = [
    { user: 'Find the tag.' },
    { assistant: ['I look.', search('call_7')] },
    { tool: 'call_7', name: 'search', value: 'v1' },
  ]

  it('reads a request without headers, signals and ids', () => {
    const read = dialect.read(request(conversation, 'Be brief.'))
    expect(canonicalJson(read as never)).not.toMatch(/secret|call_7|signal|abort|"id"/)
    expect(read.system).toBe('Be brief.')
    expect(read.turn?.text).toBe('Find the tag.')
    expect(read.tools.map(({ name }) => name)).toEqual(['search'])
    const parts = read.messages.flatMap((message) => message.parts)
    expect(parts).toContainEqual({ call: 'c1', name: 'search', arguments: { q: 'tags' } })
    expect(parts.find((part) => 'result' in part)).toMatchObject({ result: 'c1' })
  })

  it('reads the same of a conversation with other ids', () => {
    const again = JSON.parse(JSON.stringify(conversation).replaceAll('call_7', 'call_9')) as Message[]
    expect(dialect.read(request(again))).toEqual(dialect.read(request(conversation)))
  })

  it('injects guidance, tools and a bulletin, and changes no argument', () => {
    const original = request(conversation, 'Be brief.')
    const before = JSON.stringify(original)
    const { index = -1 } = dialect.read(original).turn ?? {}
    const injected = dialect.inject(original, { ...NOTHING, guidance: 'GUIDE', tools: true, bulletins: new Map([[index, 'CARDS']]) })
    const read = dialect.read(injected)
    expect(read.system).toMatch(/^Be brief\.\n\nGUIDE$/)
    expect(read.turn).toEqual({ index, text: 'Find the tag.\nCARDS' })
    expect(read.tools.map(({ name }) => name)).toEqual(['search', 'reflex_propose', 'reflex_clarify'])
    expect(JSON.stringify(original)).toBe(before)
    expect(dialect.read(dialect.inject(injected, { ...NOTHING, tools: true })).tools).toHaveLength(3)
    expect(dialect.read(dialect.inject(request(conversation), { ...NOTHING, guidance: 'GUIDE' })).system).toBe('GUIDE')
  })

  it('leaves a request as it is if there is nothing to inject', () => {
    const original = request(conversation, 'Be brief.')
    expect(JSON.stringify(dialect.inject(original, NOTHING))).toBe(JSON.stringify(original))
  })

  it('reads blocks of the reply alone: none of results, of users, of reasoning, of the history', () => {
    const said = request([
      { user: PROPOSAL },
      { thought: PROPOSAL },
      { assistant: [PROPOSAL] },
      { tool: 'c', name: 'search', value: PROPOSAL },
    ])
    expect(dialect.reply(said).parts).toEqual([])
    expect(readCanonicalReply(dialect.reply(response(['Ok.']))).outcome.proposals).toEqual([])
    expect(readCanonicalReply(dialect.reply(response([PROPOSAL]))).outcome.proposals).toHaveLength(1)
  })

  it.each(REPLIES)('writes a reply without blocks and calls of the protocol, and sums usage: %j', (...said) => {
    const reply = response(said)
    const { outcome } = readCanonicalReply(dialect.reply(reply))
    const replacement: Replacement = { text: outcome.visible, rounds: [reply, reply], ownCalls: outcome.ownCalls }
    const written = dialect.reply(dialect.write(reply, replacement))
    expect(readCanonicalReply(written).outcome).toMatchObject({ visible: outcome.visible, proposals: [], ownCalls: outcome.ownCalls })
    expect(written.usage).toEqual({ inputTokens: 20, outputTokens: 10, cachedTokens: 4 })
    expect(written.parts.some((part) => part.kind === 'call' && part.name.startsWith('reflex_'))).toBe(false)
    if (outcome.ownCalls === 0) expect(written.finish ?? 'stop').not.toMatch(/tool/)
  })

  it.each(REPLIES)('comes to the same as a stream: %j', (...said) => {
    const whole = readCanonicalReply(dialect.reply(response(said)))
    const expected = dialect.write(response(said), {
      text: whole.outcome.visible,
      rounds: [response(said)],
      ownCalls: whole.outcome.ownCalls,
    })
    for (const size of [1, 3, 1000]) {
      const stream = dialect.stream()
      const shown = chunks(said, size).flatMap((chunk) => stream.push(chunk))
      const end = stream.endRound()
      expect(end.outcome).toEqual(whole.outcome)
      expect(end.calls.map(({ id }) => id)).toEqual(whole.calls.map(({ id }) => id))
      const all = [...shown, ...end.chunks, ...stream.close()]
      expect(seen(dialect.reply(joined(all)))).toEqual(seen(dialect.reply(expected)))
      expect(JSON.stringify(all)).not.toMatch(/reflex_propose|SKILL_PROPOSE/)
    }
  })

  it('streams text at once, without chunks that are empty', () => {
    const stream = dialect.stream()
    const texts = chunks(['One two three.'], 3).map((chunk) => JSON.stringify(stream.push(chunk)))
    for (const piece of ['One', ' tw', 'o t', 'hre']) expect(texts.some((text) => text.includes(`"${piece}"`))).toBe(true)
  })

  it('joins hidden rounds to one stream with the usage of all', () => {
    const stream = dialect.stream()
    const first = chunks(['One moment.\n', propose('c1')], 4).flatMap((chunk) => stream.push(chunk))
    const end = stream.endRound()
    expect(end.outcome.proposals).toMatchObject([{ id: 'deploy.app', callIds: ['c1'] }])
    const second = chunks(['It is deployed.', search('c9')], 4).flatMap((chunk) => stream.push(chunk))
    const all = [...first, ...end.chunks, ...second, ...stream.endRound().chunks, ...stream.close()]
    expect(seen(dialect.reply(joined(all)))).toEqual(
      seen({
        parts: [{ kind: 'text', text: 'One moment.\nIt is deployed.' }, ...dialect.reply(response([search('c9')])).parts],
        usage: { inputTokens: 20, outputTokens: 10, cachedTokens: 4 },
      }),
    )
  })

  it('says text of its own', () => {
    const stream = dialect.stream()
    const all = [...chunks([propose('c1')], 9).flatMap((chunk) => stream.push(chunk)), ...stream.endRound().chunks, ...stream.say('Which?')]
    expect(seen(dialect.reply(joined([...all, ...stream.close()])))).toMatchObject({ text: 'Which?', calls: [] })
  })

  it('comes to the same for all samples of replies', () => {
    for (const { reply } of SAMPLES.filter((sample) => sample.reply.length < 1000)) {
      const stream = dialect.stream()
      const shown = chunks([reply], 7).flatMap((chunk) => stream.push(chunk))
      const end = stream.endRound()
      expect(end.outcome).toEqual(readReply(reply))
      expect(seen(dialect.reply(joined([...shown, ...end.chunks, ...stream.close()])))).toMatchObject({ text: end.outcome.visible })
    }
  })

  it('passes everything on once the protocol is off', () => {
    const stream = dialect.stream({ enabled: false })
    const all = [...chunks([PROPOSAL], 5).flatMap((chunk) => stream.push(chunk)), ...stream.endRound().chunks, ...stream.close()]
    expect(seen(dialect.reply(joined(all)))).toMatchObject({ text: PROPOSAL })
  })

  it('says a hidden round as messages that it reads again', () => {
    const hidden = dialect.hidden({
      assistant: 'On it.',
      calls: [{ id: 'c1', name: 'reflex_propose', arguments: '{"skill_id":"a"}', result: '{"status":"ok"}' }],
      results: '<SKILL_RESULT>{}</SKILL_RESULT>',
    })
    const read = dialect.read(dialect.result(request([{ user: 'Go.' }]), hidden))
    const parts = read.messages.flatMap((message) => message.parts)
    expect(parts[0]).toEqual({ text: 'Go.' })
    expect(parts[1]).toEqual({ text: 'On it.' })
    expect(parts[2]).toEqual({ call: 'c1', name: 'reflex_propose', arguments: { skill_id: 'a' } })
    expect(JSON.stringify(parts[3])).toContain('status')
    expect(parts[4]).toEqual({ text: '<SKILL_RESULT>{}</SKILL_RESULT>' })
  })

  it('never throws for requests, responses and chunks of another shape', () => {
    const strange: readonly Fields[] = [
      {},
      { messages: 7, input: 7, prompt: null, choices: [null], output: [null], content: [7], generations: [] },
    ]
    for (const each of strange) {
      expect(dialect.read(each).messages).toEqual([])
      expect(dialect.reply(each).parts).toEqual([])
      dialect.inject(each, { ...NOTHING, guidance: 'G', tools: true })
      dialect.write(each, { text: 'x', rounds: [each], ownCalls: 0 })
      const stream = dialect.stream()
      stream.push(each)
      stream.push({ type: 'text-delta' })
      stream.push({ type: 'content_block_delta', delta: null })
      stream.endRound()
      stream.close()
    }
  })
})
