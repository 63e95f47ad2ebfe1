import type { Json, Ref } from '../../../kernel/index.ts'
import { unknownSkill } from '../gate/skill-ref.ts'
import { writeArgs } from '../plan/args.ts'
import type { DecisionRecord } from '../model/decision.ts'
import type { Proposal, ReplyOutcome } from '../model/protocol.ts'
import type { ModelReply } from '../model/turn.ts'
import { clarificationText } from '../protocol/format-result.ts'
import { protocolCall } from '../protocol/native.ts'
import { MAX_MALFORMED_REPLIES, readReplyParts } from '../protocol/reply-reader.ts'
import type { OpenRequest, OpenRound } from './position.ts'
import { addResult, rejectionResult } from './results.ts'
import { send } from './send.ts'
import type { Turn } from './turn.ts'

/**
 * Decides what a reply of the model means: its proposals are carried out one after another, its mistakes are explained to it, or the agent
 * gets it. A request has at most `rounds` hidden rounds; the agent gets the reply after the last one, without its blocks.
 */
export function takeReply(turn: Turn, id: string, { effect, reply }: SettledReply): void {
  const open = turn.position.requests[id]
  if (open === undefined) return
  const outcome = readReply(turn, reply)
  const { proposals, rejections, clarification } = outcome
  const isDecided = reply.isCut !== true && (proposals.length > 0 || (rejections.length > 0 && clarification === undefined))
  if (!isDecided || open.hidden.length >= turn.x.def.rounds) return answerAgent(turn, id, { open, effect, reply, outcome })
  turn.request(id, {
    hidden: open.hidden,
    used: sumOf(open.used, reply.usage),
    visible: joined(open.visible, outcome.visible),
    round: {
      assistant: outcome.history,
      calls: outcome.calls,
      proposals,
      results: rejections.map(rejectionResult),
    },
  })
  decideNext(turn, id)
}

/**
 * Reads what a reply means for skills, and counts replies with a malformed block: two of them turn the protocol off for the turn. In an imported
 * turn it is off: what looks like a proposal there was none.
 */
function readReply(turn: Turn, reply: ModelReply): ReadReply {
  const { malformed } = turn.position
  const isEnabled = malformed < MAX_MALFORMED_REPLIES && turn.args.imported === undefined
  const outcome = turn.x.fact('reply', () => blocksOf(reply, isEnabled) as unknown as Json) as unknown as ReadReply
  // The end of a reply that was cut is not a mistake of the model.
  if (reply.isCut === true) {
    const { clarification: _, ...rest } = outcome
    return rest
  }
  if (outcome.malformed) turn.move({ malformed: malformed + 1 })
  return outcome
}

/** What a reply means, with its calls of tools of the protocol. */
type ReadReply = Omit<ReplyOutcome, 'notes'> & Pick<OpenRound, 'calls'>

function blocksOf({ parts }: ModelReply, enabled: boolean): ReadReply {
  const { notes: _, ...outcome } = readReplyParts(
    parts.map((part) => ('text' in part ? part.text : part.call)),
    { enabled },
  )
  const calls = parts.flatMap((part) => ('call' in part && protocolCall(part.call.name) !== undefined ? [part.call] : []))
  return { ...outcome, calls }
}

/** Carries out the next proposal of a round in a strand of its own. After the last one, the model is told the results. */
export function decideNext(turn: Turn, id: string): void {
  const open = turn.position.requests[id]
  if (open?.round === undefined) return
  const [proposal] = open.round.proposals
  if (proposal === undefined) return endRound(turn, id, open)
  const name = turn.x.fact('program', () => programOf(turn, proposal))
  if (name === undefined) return refuse(turn, id, proposal)
  const { x, args } = turn
  const userText = turn.userText
  const { carrier, inputs, why } = proposal
  const strand = x.spawn(name, {
    sees: 'live',
    args: writeArgs({
      inputs,
      proposal: {
        carrier,
        userText,
        ...(why === undefined ? {} : { why }),
        ...(args.goalLabels === undefined ? {} : { goalLabels: args.goalLabels }),
        ...(args.conversation === undefined ? {} : { conversation: args.conversation }),
      },
    }),
  })
  turn.flight(strand, id)
}

function programOf({ x }: Turn, { id, version }: Proposal): string | undefined {
  const name = version === undefined ? `skill:${id}` : `skill:${id}@${version}`
  return x.hasProgram(name) ? name : undefined
}

/** The model has named a skill that does not exist: it hears which ones are spelt nearly so, and nothing runs. */
function refuse(turn: Turn, id: string, { carrier, skill_ref, inputs }: Proposal): void {
  const shown = turn.bulletin.cards.map((card) => card.id)
  const unknown = (): DecisionRecord => unknownSkill({ now: new Date(turn.x.now).toISOString() }, { carrier, skill_ref, inputs }, shown)
  const decision = turn.x.fact('unknown', () => unknown() as unknown as Json) as unknown as DecisionRecord
  turn.x.note({ decision: decision as unknown as Json })
  const { nearest = [] } = decision
  const detail = nearest.length === 0 ? 'choose one of the bulletin' : `did you mean ${nearest.join(' or ')}?`
  addResult(turn, id, { skill_id: skill_ref, status: 'denied', reason: decision.reason, detail })
  decideNext(turn, id)
}

/** The model gets the results of a round in a message that the agent does not see. */
function endRound(turn: Turn, id: string, { hidden, used, visible, round }: OpenRequest): void {
  if (round === undefined) return
  const { assistant, calls, results } = round
  const answered = calls.flatMap((call) => {
    const result = results.find(({ callIds }) => callIds.includes(call.id))
    return result === undefined ? [] : [{ ...call, result: result.text }]
  })
  const texts = results.filter(({ callIds }) => callIds.length === 0).map(({ text }) => text)
  turn.request(id, { hidden: [...hidden, { assistant, calls: answered, results: texts.join('\n') }], used, visible })
  send(turn, id)
}

/** A reply, and the effect that gave it. */
interface SettledReply {
  readonly effect: Ref
  readonly reply: ModelReply
}

interface LastReply extends SettledReply {
  readonly open: OpenRequest
  readonly outcome: ReadReply
}

/** The agent gets the last reply, without what is for skills alone. */
function answerAgent(turn: Turn, id: string, { open, effect, reply, outcome }: LastReply): void {
  const { clarification } = outcome
  const visible = clarification === undefined ? outcome.visible : joined(outcome.visible, clarificationText(clarification))
  const { raw: _, ...read } = reply
  turn.resolve(id, {
    ok: true,
    reply: read,
    effect,
    visible,
    text: joined(open.visible, visible),
    ownCalls: outcome.ownCalls,
    hidden: open.hidden,
    usage: sumOf(open.used, reply.usage),
  })
}

/** Joins the texts of two rounds, a line for each. */
function joined(first: string, second: string): string {
  if (first === '' || second === '') return first + second
  return /\s$/.test(first) ? first + second : `${first}\n${second}`
}

/** Returns the usage of several rounds together. */
function sumOf(used: OpenRequest['used'], more: ModelReply['usage'] = {}): OpenRequest['used'] {
  const usd = used.usd === undefined && more.usd === undefined ? {} : { usd: (used.usd ?? 0) + (more.usd ?? 0) }
  return { input: used.input + (more.input ?? 0), output: used.output + (more.output ?? 0), ...usd }
}
