import { type Call, isObject, type Json } from '../../kernel/index.ts'
import type { HiddenRound, ModelReply, RequestDelta, TurnSource } from '../../kinds/skill/model/turn.ts'
import { NEW_REQUEST, readPosition } from '../../kinds/skill/turn/position.ts'
import { MAX_MALFORMED_REPLIES } from '../../kinds/skill/protocol/reply-reader.ts'
import { TURN_KEYS } from '../../kinds/skill/turn/turn.ts'
import type { RunSettings } from '../../policy/index.ts'
import type { CanonicalReply, CanonicalRequest, Dialect } from '../dialects/contract.ts'
import { attachBulletin, injectionOf } from '../dialects/ledgers.ts'
import { argumentsOf, type Fields, jsonOf, textOf } from '../dialects/loose.ts'
import type { Conversation } from './conversations.ts'

/** A call of a model, as the agent makes it. */
export interface ModelRequest {
  readonly dialect: Dialect
  readonly request: Fields
  readonly canonical: CanonicalRequest
  /** Asks the model itself. */
  ask(request: Fields, signal: AbortSignal): unknown
  /** Returns the JSON of a response, for a framework whose classes leave something out. Default: what they say of themselves. */
  readonly record?: (response: Fields) => Json
}

/** An earlier request of a turn, of which later ones are written as additions. */
export interface PastRequest {
  readonly id: string
  readonly canonical: CanonicalRequest
}

/** Returns a request as what it adds to the one before it: whole ones would make a journal grow with the square of the rounds. */
export function requestDelta(canonical: CanonicalRequest, base: PastRequest | undefined): RequestDelta {
  const { messages } = canonical
  const shared = base?.canonical.messages ?? []
  let keep = 0
  while (keep < shared.length && keep < messages.length && isSame(shared[keep], messages[keep])) keep++
  const params = paramsOf(canonical)
  const isWhole = base === undefined || keep === 0
  return {
    ...(isWhole ? {} : { base: base.id }),
    keep: isWhole ? 0 : keep,
    add: messages.slice(isWhole ? 0 : keep) as readonly unknown[] as readonly Json[],
    ...(base !== undefined && isSame(paramsOf(base.canonical), params) ? {} : { params }),
  }
}

function paramsOf({ system, tools, params }: CanonicalRequest): { readonly [key: string]: Json } {
  return { system, tools, params }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/**
 * Returns a request with the bulletin of its turn, with those of earlier turns where they were, and with the rounds that the agent does not
 * see. The agent's own messages stay as they are (reference skill 1.14).
 */
export function withSkills(
  { dialect, request, canonical }: Omit<ModelRequest, 'ask'>,
  call: Call<RunSettings>,
  conversation: Conversation,
): Fields {
  const bulletin = call.reader().get(TURN_KEYS.bulletin)
  if (isObject(bulletin) && typeof bulletin['text'] === 'string')
    conversation.ledger = attachBulletin(conversation.ledger, canonical, call.run, {
      text: bulletin['text'],
      selection: textOf(bulletin['selection']),
    })
  const { carrier } = call.def as TurnSource
  const injection = injectionOf(conversation.ledger, canonical, carrier === 'tool' ? 'tool' : 'text')
  const isTold = injection.guidance !== ''
  const injected = isTold ? dialect.inject(request, { ...injection, tools: carrier !== 'text' }) : request
  const rounds = openRequest(call).hidden
  return rounds.length === 0
    ? injected
    : dialect.result(
        injected,
        rounds.flatMap((round) => dialect.hidden(round)),
      )
}

/** The rounds of a request so far, and whether its next reply is read for blocks. */
interface OpenRounds {
  readonly hidden: readonly HiddenRound[]
  readonly visible: string
  readonly enabled: boolean
}

/** Returns how far the request is whose next round a call asks for. */
export function openRequest({ args, frame }: Call<RunSettings>): OpenRounds {
  const { requests, malformed } = readPosition(frame.position)
  const id = isObject(args) ? textOf(args['id']) : ''
  const { hidden, visible } = (Object.hasOwn(requests, id) ? requests[id] : undefined) ?? NEW_REQUEST
  return { hidden, visible, enabled: malformed < MAX_MALFORMED_REPLIES }
}

/** Returns what a model has replied as the record has it. */
export function modelReply(request: ModelRequest, response: Fields): ModelReply {
  const { dialect, record = jsonOf } = request
  return { ...replyOf(request, dialect.reply(response)), raw: record(response) }
}

/** Returns a reply without anything of its dialect. */
export function replyOf({ canonical }: Pick<ModelRequest, 'canonical'>, { parts, usage }: CanonicalReply): ModelReply {
  const { model } = canonical.params
  return {
    parts: parts.map((part) =>
      part.kind === 'text' ? { text: part.text } : { call: { id: part.id, name: part.name, arguments: argumentsOf(part.arguments) } },
    ),
    usage: {
      ...(usage.inputTokens === undefined ? {} : { input: usage.inputTokens }),
      ...(usage.outputTokens === undefined ? {} : { output: usage.outputTokens }),
    },
    ...(typeof model === 'string' ? { model } : {}),
  }
}
