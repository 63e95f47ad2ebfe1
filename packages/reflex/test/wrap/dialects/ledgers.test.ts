// proves: skill 96, skill 97, skill 98, skill 99, skill 100, skill 101
import { describe, expect, it } from 'vitest'
import type { HiddenRound } from '../../../src/wrap/dialects/contract.ts'
import type { Fields } from '../../../src/wrap/dialects/loose.ts'
import {
  attachBulletin,
  type ConversationLedger,
  EMPTY_LEDGER,
  injectionOf,
  latestSelection,
  recordResult,
  recordSplice,
} from '../../../src/wrap/dialects/ledgers.ts'
import { readCanonicalReply } from '../../../src/wrap/dialects/read-reply.ts'
import type { Fixture, Message, Said } from './fixture.ts'
import { FIXTURES } from './fixtures.ts'

const PROPOSAL = '<SKILL_PROPOSE>{"skill_id":"deploy.app"}</SKILL_PROPOSE>'
const RESULT = '{"skill_id":"deploy.app","status":"ok"}'
const search = (id: string): Said => ({ id, name: 'search', args: '{"q":"tags"}' })

/** A wrapped agent with a loop of its own, and the requests that its scripted model got. */
class Agent {
  readonly requests: Fields[] = []
  readonly #fixture: Fixture
  readonly #carrier: 'text' | 'tool'
  /** What the agent itself remembers. */
  readonly history: Message[] = []
  ledger: ConversationLedger = EMPTY_LEDGER
  #executions = 0

  constructor(fixture: Fixture, carrier: 'text' | 'tool' = 'text') {
    this.#fixture = fixture
    this.#carrier = carrier
  }

  /** One turn: the agent calls its model until it has no calls of its own any more. */
  turn(id: string, cards: string, user: string, replies: readonly (readonly Said[])[]): void {
    this.history.push({ user })
    const rest = [...replies]
    for (let calls = true; calls; ) {
      const said = this.#call(id, cards, rest)
      this.history.push({ assistant: said })
      const own = said.filter((part) => typeof part !== 'string')
      for (const call of own) this.history.push({ tool: call.id, name: call.name, value: 'v1' })
      calls = own.length > 0
    }
    expect(rest).toEqual([])
  }

  /** One call of the agent, with its hidden rounds. Returns what the agent gets. */
  #call(id: string, cards: string, replies: (readonly Said[])[]): readonly Said[] {
    const { dialect } = this.#fixture
    const request = this.#fixture.request(this.history, 'Be brief.')
    const read = dialect.read(request)
    // Between calls the ledger is a value of JSON, as a record keeps it.
    this.ledger = JSON.parse(JSON.stringify(this.ledger)) as ConversationLedger
    const same = latestSelection(this.ledger, read) === cards
    const bulletin = same ? `<SKILL_BULLETIN turn="${id}" same="true"/>` : `<SKILL_BULLETIN turn="${id}">\n${cards}\n</SKILL_BULLETIN>`
    this.ledger = attachBulletin(this.ledger, read, id, { text: cards === '' ? '' : bulletin, selection: cards })
    let sent = dialect.inject(request, injectionOf(this.ledger, read, this.#carrier))
    const rounds: Fields[] = []
    const hidden: HiddenRound[] = []
    let text = ''
    for (;;) {
      this.requests.push(sent)
      const response = this.#fixture.response(replies.shift() ?? [])
      rounds.push(response)
      const { outcome, calls } = readCanonicalReply(dialect.reply(response))
      text += outcome.visible
      if (outcome.proposals.length === 0) {
        const written = dialect.write(response, { text, rounds, ownCalls: outcome.ownCalls })
        const reply = dialect.reply(written)
        this.ledger = recordSplice(this.ledger, read, reply, { rounds: hidden, text: outcome.visible })
        return reply.parts.map((part) =>
          part.kind === 'text'
            ? part.text
            : { id: part.id, name: part.name, args: typeof part.arguments === 'string' ? part.arguments : JSON.stringify(part.arguments) },
        )
      }
      this.ledger = recordResult(this.ledger, `execution-${++this.#executions}`)
      const round = {
        assistant: outcome.history,
        calls: calls.map((call) => ({ ...call, result: RESULT })),
        results: calls.length === 0 ? `<SKILL_RESULT>${RESULT}</SKILL_RESULT>` : '',
      }
      hidden.push(round)
      sent = dialect.result(sent, dialect.hidden(round))
    }
  }

  /** The messages of each request as JSON, one text for each message. */
  bytes(): string[][] {
    return this.requests.map((request) => this.#fixture.dialect.messages(request).map((message) => JSON.stringify(message)))
  }

  /** Everything that the model reads in a request but its system text. */
  text(index: number): string {
    const { messages } = this.#fixture.dialect.read(this.requests.at(index) ?? {})
    return JSON.stringify(messages.filter(({ role }) => role !== 'system'))
  }

  systems(): string[] {
    return this.requests.map((request) => this.#fixture.dialect.read(request).system)
  }
}

/** True if every request begins with the bytes of the one before. */
function growsAtEnd(requests: readonly (readonly string[])[]): boolean {
  return requests.every((messages, i) => (requests[i - 1] ?? []).every((message, at) => messages[at] === message))
}

const count = (text: string, part: string): number => text.split(part).length - 1

describe.each(FIXTURES)('a conversation of $dialect.name', (fixture) => {
  const turns = (carrier: 'text' | 'tool'): Agent => {
    const agent = new Agent(fixture, carrier)
    const first: readonly Said[] =
      carrier === 'text'
        ? [`On it.\n${PROPOSAL}\nDone.`]
        : ['On it.\n', { id: 'p1', name: 'reflex_propose', args: '{"skill_id":"deploy.app"}' }]
    agent.turn('00000001', '- deploy.app@1', 'Deploy it.', [[search('c1')], first, ['It is ', search('c2')], ['It is deployed.']])
    agent.turn('00000002', '- deploy.app@1', 'Thanks.', [['You are welcome.']])
    agent.turn('00000003', '- rollback.app@1', 'Thanks.', [['Sure.']])
    return agent
  }

  it.each(['text', 'tool'] as const)('grows at its end alone, within a turn and across turns (%s)', (carrier) => {
    const requests = turns(carrier).bytes()
    expect(requests).toHaveLength(6)
    expect(growsAtEnd(requests)).toBe(true)
  })

  it.each(['text', 'tool'] as const)('has one bulletin of the turn in each request, and the same system text (%s)', (carrier) => {
    const agent = turns(carrier)
    for (const [index, turn] of [1, 1, 1, 1, 2, 3].entries()) {
      const text = agent.text(index)
      expect(count(text, `SKILL_BULLETIN turn=\\"0000000${turn}\\"`)).toBe(1)
    }
    expect(new Set(agent.systems()).size).toBe(1)
    expect(count(agent.systems()[0] ?? '', 'last bulletin')).toBe(1)
  })

  it('repeats no cards that the conversation shows already', () => {
    const text = turns('text').text(-1)
    expect(count(text, '- deploy.app@1')).toBe(1)
    expect(text).toContain('<SKILL_BULLETIN turn=\\"00000002\\" same=\\"true\\"/>')
    expect(text).toContain('- rollback.app@1')
  })

  it.each(['text', 'tool'] as const)('shows the model its proposal and the result once, and the agent neither (%s)', (carrier) => {
    const agent = turns(carrier)
    for (const index of [2, 3, 4, 5]) {
      expect(count(agent.text(index), 'deploy.app\\",\\"status') + count(agent.text(index), 'deploy.app\\\\\\",\\\\\\"status')).toBe(1)
      expect(count(agent.text(index), carrier === 'text' ? '<SKILL_PROPOSE>' : 'reflex_propose')).toBe(1)
    }
    expect(JSON.stringify(agent.history)).not.toMatch(/SKILL_|reflex_/)
    expect(agent.history[3]).toEqual({
      assistant:
        fixture.dialect.name === 'openai-chat' || fixture.dialect.name === 'chat-model'
          ? ['On it.\nIt is ', search('c2')]
          : (expect.arrayContaining([search('c2')]) as unknown),
    })
  })

  it('shows nothing hidden once the agent has changed the message', () => {
    const agent = turns('text')
    const at = agent.history.findIndex((message) => 'assistant' in message && message.assistant.some((part) => typeof part === 'string'))
    agent.history[at] = { assistant: ['Edited.', search('c2')] }
    agent.turn('00000004', '- rollback.app@1', 'And?', [['Yes.']])
    expect(agent.text(-1)).not.toMatch(/SKILL_PROPOSE|SKILL_RESULT/)
  })

  it('injects nothing without skills', () => {
    const agent = new Agent(fixture)
    agent.turn('00000001', '', 'Hello.', [['Hi.']])
    expect(agent.bytes()).toEqual([
      fixture.dialect.messages(fixture.request([{ user: 'Hello.' }], 'Be brief.')).map((message) => JSON.stringify(message)),
    ])
    expect(agent.systems()).toEqual(['Be brief.'])
  })

  it('keeps apart messages that are equal', () => {
    const agent = new Agent(fixture)
    for (const [i, cards] of ['- a@1', '- b@1', '- c@1'].entries())
      agent.turn(`0000000${i}`, cards, 'yes', [[`<SKILL_PROPOSE>{"skill_id":"s${i}"}</SKILL_PROPOSE>`], ['Done.']])
    expect(growsAtEnd(agent.bytes())).toBe(true)
    const text = agent.text(-1)
    expect(['- a@1', '- b@1', '- c@1', '"s0', '"s1', '"s2'].map((part) => text.indexOf(part.replace('"', '\\"')))).toEqual(
      ['- a@1', '- b@1', '- c@1', '"s0', '"s1', '"s2'].map((part) => text.lastIndexOf(part.replace('"', '\\"'))),
    )
    expect(text.indexOf('- a@1')).toBeLessThan(text.indexOf('- b@1'))
  })

  it('stays whole where the agent has dropped its oldest messages', () => {
    const agent = turns('text')
    agent.history.splice(
      0,
      agent.history.findIndex((message) => 'user' in message && message.user === 'Thanks.'),
    )
    agent.turn('00000004', '- rollback.app@1', 'And?', [['Yes.']])
    expect(agent.text(-1)).toContain('00000004\\" same=\\"true\\"')
    expect(agent.text(-1)).not.toContain('SKILL_PROPOSE')
  })
})

describe('the results of executions', () => {
  it('are delivered once', () => {
    const ledger = recordResult(EMPTY_LEDGER, 'e1')
    expect(() => recordResult(ledger, 'e1')).toThrow(
      expect.objectContaining({ code: 'R1464', rule: 'E_RESULT_DUPLICATE', verdict: 'bug' }) as Error,
    )
    expect(recordResult(ledger, 'e2').results).toEqual(['e1', 'e2'])
  })
})
