// proves: skill 112
import { describe, expect, it } from 'vitest'
import { fieldsOf, listOf } from '../../../src/wrap/dialects/loose.ts'
import { agentsFixture, ChatMessage, langFixture, Usage } from './framework-fixtures.ts'

const NOTHING = { guidance: '', tools: false, bulletins: new Map(), splices: new Map() }
const BLOCK = 'Now.\n<SKILL_PROPOSE>{"skill_id":"a"}</SKILL_PROPOSE>'

describe('the classes of a framework', () => {
  it('are those of the usage that a runner adds up', () => {
    const { dialect, response } = agentsFixture
    const rounds = [response([BLOCK]), response(['Done.'])]
    const { usage } = dialect.write(response(['Done.']), { text: 'Done.', rounds, ownCalls: 0 })
    expect(usage).toBeInstanceOf(Usage)
    expect(usage instanceof Usage && [usage.requests, usage.total()]).toEqual([2, 30])
  })

  it('are those of messages that are written, whose memory of their own fields has no block', () => {
    const { dialect, response } = langFixture
    const written = dialect.write(response([BLOCK]), { text: 'Done.', rounds: [response([BLOCK])], ownCalls: 0 })
    const { message } = fieldsOf(listOf(written['generations'])[0])
    expect(message).toBeInstanceOf(ChatMessage)
    expect(message instanceof ChatMessage && message.text).toBe('Done.')
    expect(JSON.stringify(written)).not.toContain('SKILL_PROPOSE')
  })

  it('are those of messages that get a bulletin, of a clone of them', () => {
    const { dialect, request } = langFixture
    const original = request([{ user: 'Go.' }], 'Be brief.')
    const injected = dialect.inject(original, { ...NOTHING, guidance: 'G', bulletins: new Map([[1, 'CARDS']]) })
    for (const message of dialect.messages(injected)) expect(message).toBeInstanceOf(ChatMessage)
    expect(dialect.messages(original).map(({ content }) => content)).toEqual(['Be brief.', 'Go.'])
  })

  it('are those of chunks', () => {
    const { dialect, chunks } = langFixture
    const stream = dialect.stream()
    const all = [...chunks([BLOCK], 5).flatMap((chunk) => stream.push(chunk)), ...stream.endRound().chunks, ...stream.close()]
    for (const { message } of all) expect(message).toBeInstanceOf(ChatMessage)
  })
})

describe('a Claude model behind LangChain', () => {
  it('gets its tools in the form of those that are bound', () => {
    const { dialect } = langFixture
    const tools = [{ name: 'search', input_schema: { type: 'object' } }]
    const injected = dialect.inject({ messages: [], tools }, { ...NOTHING, tools: true })
    expect(listOf(injected['tools']).map((tool) => Object.keys(fieldsOf(tool)))).toEqual([
      ['name', 'input_schema'],
      ['name', 'description', 'input_schema'],
      ['name', 'description', 'input_schema'],
    ])
  })

  it('loses a call of the protocol from its content, too', () => {
    const { dialect } = langFixture
    const call = { type: 'tool_call', id: 'c1', name: 'reflex_propose', args: { skill_id: 'a' } }
    const content = [
      { type: 'text', text: 'Now.' },
      { type: 'tool_use', id: 'c1', name: 'reflex_propose', input: { skill_id: 'a' } },
    ]
    const reply = { type: 'ai', content, tool_calls: [call] }
    expect(dialect.write(reply, { text: 'Now.', rounds: [reply], ownCalls: 0 })).toMatchObject({
      content: [{ type: 'text', text: 'Now.' }],
      tool_calls: [],
    })
  })
})
