import type { Json } from '../../../kernel/index.ts'
import { ESTIMATE } from '../bulletin/tokens.ts'
import { unknownSkill } from '../gate/skill-ref.ts'
import { writeArgs } from '../plan/args.ts'
import type { SkillOutcome } from '../model/plan-result.ts'
import type { Proposal, Rejection, ReplyOutcome, SkillResultMessage } from '../model/protocol.ts'
import type { HiddenRound, ModelReply, ReplyPart } from '../model/turn.ts'
import { clarificationText, formatResult } from '../protocol/format-result.ts'
import { MAX_MALFORMED_REPLIES, readReplyParts, ReplyReader } from '../protocol/reply-reader.ts'
import type { OpenRequest } from './position.ts'
import { send } from './send.ts'
import { type Turn, TURN_KEYS } from './turn.ts'

/** Reads what a reply means for skills, and counts replies with a malformed block: two of them turn the protocol off for the turn. */
export function readReply(turn: Turn, reply: ModelReply): ReplyOutcome {
  const { malformed } = turn.position
  const parts = reply.parts.map((part) => ('text' in part ? part.text : part.call))
  const outcome = readReplyParts(parts, { enabled: malformed < MAX_MALFORMED_REPLIES })
  if (outcome.malformed) turn.move({ malformed: malformed + 1 })
  return outcome
}

/** Carries out a proposal in a strand of its own: its writes are taken over when it ends. */
export function propose(turn: Turn, id: string, proposal: Proposal): void {
  const { x, args } = turn
  const name = programOf(turn, proposal)
  if (name === undefined) return refuse(turn, id, proposal)
  const said = x.get(TURN_KEYS.userText)
  const userText = typeof said === 'string' ? said : ''
  const strand = x.spawn(name, {
    sees: 'live',
    args: writeArgs({
      inputs: proposal.inputs,
      proposal: {
        carrier: proposal.carrier,
        userText,
        ...(proposal.why === undefined ? {} : { why: proposal.why }),
        ...(args.goalLabels === undefined ? {} : { goalLabels: args.goalLabels }),
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
function refuse(turn: Turn, id: string, proposal: Proposal): void {
  const shown = turn.bulletin.cards.map((card) => card.id)
  const now = new Date(turn.x.now).toISOString()
  const decision = unknownSkill({ now }, { carrier: proposal.carrier, skill_ref: proposal.skill_ref, inputs: proposal.inputs }, shown)
  turn.x.note({ decision: decision as unknown as Json })
  const { nearest = [] } = decision
  const detail = nearest.length === 0 ? 'choose one of the bulletin' : `did you mean ${nearest.join(' or ')}?`
  tell(turn, id, { skill_id: proposal.skill_ref, status: 'denied', reason: decision.reason, detail }, proposal.callIds)
}

/** Tells the model what became of its proposal, in a round that the agent does not see. */
export function tellOutcome(turn: Turn, id: string, outcome: SkillOutcome): void {
  const { skill_id, status, outputs, reason, detail, missing } = outcome
  const message: SkillResultMessage = {
    skill_id,
    status,
    ...(outputs === undefined ? {} : { outputs }),
    ...(reason === undefined ? {} : { reason }),
    ...(detail === undefined ? {} : { detail }),
    ...(missing === undefined ? {} : { missing }),
    ...pathsOf(turn, skill_id),
  }
  tell(turn, id, message, turn.position.requests[id]?.callIds ?? [])
}

/** Where the outputs of a skill stand on the blackboard, for a result that is too long to name them. */
function pathsOf({ x }: Turn, skill: string): Pick<SkillResultMessage, 'ref' | 'paths'> {
  const program = x.hasProgram(`skill:${skill}`) ? (x.definition(`skill:${skill}`) as WithBindings | undefined) : undefined
  const paths = program?.manifest.signature.blackboard_bindings.outputs ?? {}
  const [first] = Object.values(paths)
  return first === undefined ? {} : { ref: 'work', paths }
}

interface WithBindings {
  readonly manifest: { readonly signature: { readonly blackboard_bindings: { readonly outputs: Readonly<Record<string, string>> } } }
}

function tell(turn: Turn, id: string, message: SkillResultMessage, callIds: readonly string[]): void {
  const open = turn.position.requests[id]
  if (open === undefined) return
  const { hidden, used, said = '' } = open
  const carrier = callIds.length === 0 ? 'text' : 'tool'
  const { text } = formatResult(message, { countTokens: ESTIMATE.count, carrier })
  const told = callIds.length === 0 ? [{ text }] : callIds.map((call) => ({ call, text }))
  nextRound(turn, id, { hidden: [...hidden, { said, told }], used })
}

/** Tells the model why blocks of its reply were not decided. */
export function tellRejections(turn: Turn, id: string, outcome: ReplyOutcome): void {
  const open = turn.position.requests[id]
  if (open === undefined) return
  const told = outcome.rejections.flatMap((rejection) => rejected(rejection))
  nextRound(turn, id, { hidden: [...open.hidden, { said: outcome.history, told }], used: open.used })
}

function rejected({ reason, detail, skill_ref, callIds }: Rejection): HiddenRound['told'] {
  const message: SkillResultMessage = { ...(skill_ref === undefined ? {} : { skill_id: skill_ref }), status: 'rejected', reason, detail }
  const { text } = formatResult(message, { countTokens: ESTIMATE.count, carrier: callIds.length === 0 ? 'text' : 'tool' })
  return callIds.length === 0 ? [{ text }] : callIds.map((call) => ({ call, text }))
}

function nextRound(turn: Turn, id: string, open: OpenRequest): void {
  turn.move({ requests: { ...turn.position.requests, [id]: open } })
  send(turn, id)
}

/** The agent gets the last reply, without what is for skills alone. */
export function answerAgent(turn: Turn, id: string, reply: ModelReply, outcome: ReplyOutcome): void {
  const open = turn.position.requests[id]
  if (open === undefined) return
  const { clarification } = outcome
  const question = clarification === undefined ? '' : clarificationText(clarification)
  const visible = [outcome.visible, question].filter((text) => text !== '').join(outcome.visible.endsWith('\n') ? '' : '\n')
  turn.resolve(id, {
    ok: true,
    reply: { ...reply, parts: visibleParts(reply, visible) },
    visible,
    hidden: open.hidden,
    usage: sumOf(open.used, reply.usage),
  })
}

/** The text as the agent may see it, then the calls of its own tools that were made before any proposal. */
function visibleParts(reply: ModelReply, visible: string): readonly ReplyPart[] {
  const reader = new ReplyReader()
  const calls = reply.parts.filter((part) => {
    if ('text' in part) {
      reader.text(part.text)
      reader.endPart()
      return false
    }
    const { keeps } = reader.startCall(part.call.name)
    if (!keeps) reader.call(part.call)
    return keeps
  })
  return [...(visible === '' ? [] : [{ text: visible }]), ...calls]
}

/** Returns the usage of several rounds together. */
export function sumOf(used: OpenRequest['used'], more: ModelReply['usage'] = {}): OpenRequest['used'] {
  const usd = used.usd === undefined && more.usd === undefined ? {} : { usd: (used.usd ?? 0) + (more.usd ?? 0) }
  return { input: used.input + (more.input ?? 0), output: used.output + (more.output ?? 0), ...usd }
}
