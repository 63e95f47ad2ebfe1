import { isObject, type Json, type JsonObject } from '../../../kernel/index.ts'

/** The protocol of a process that takes intents, one JSON object on each line. */
export const EGRESS_PROTOCOL = 'reflex-egress.v1'

/** An intent as a channel gets it. */
export interface SentIntent {
  readonly kind: string
  readonly intent_id: string
  readonly fields: JsonObject
}

/** The acknowledgement of an intent: the channel has it durably. */
export interface Acknowledgement {
  readonly status: 'accepted'
  readonly acceptance: 'durable'
  /** The name that the channel gave to it. */
  readonly egress_ref?: string
}

/** The first line of a channel: the kinds that it handles. */
export interface ReadyFrame {
  readonly handled_kinds: readonly string[]
}

type Read<Frame> = Frame | { readonly wrong: string }

/** Reads the first line of a channel, or says what is wrong with it. */
export function readReady(line: string): Read<ReadyFrame> {
  const frame = frameOf(line)
  if ('wrong' in frame) return frame as { readonly wrong: string }
  if (frame.type !== 'ready') return { wrong: `its first line has the type ${text(frame.type)} in place of "ready"` }
  if (frame.protocol !== EGRESS_PROTOCOL) return { wrong: `it speaks ${text(frame.protocol)} in place of "${EGRESS_PROTOCOL}"` }
  const { handled_kinds: kinds } = frame
  if (!Array.isArray(kinds) || !kinds.every((kind) => typeof kind === 'string')) return { wrong: 'handled_kinds is not a list of texts' }
  const twice = kinds.find((kind, i) => kinds.indexOf(kind) < i)
  return twice === undefined ? { handled_kinds: kinds } : { wrong: `handled_kinds names ${text(twice)} twice` }
}

/** Reads the acknowledgement of an intent, or says what is wrong with it. */
export function readAcknowledgement(line: string, intent: string): Read<Acknowledgement> {
  const frame = frameOf(line)
  if ('wrong' in frame) return frame as { readonly wrong: string }
  if (frame.type !== 'intent_ack') return { wrong: `it answered with the type ${text(frame.type)} in place of "intent_ack"` }
  if (frame.intent_id !== intent) return { wrong: `it acknowledged ${text(frame.intent_id)}, which was not sent last` }
  if (frame.status !== 'accepted') return { wrong: `its status is ${text(frame.status)} in place of "accepted"` }
  if (frame.acceptance !== 'durable') return { wrong: `its acceptance is ${text(frame.acceptance)} in place of "durable"` }
  const { egress_ref: ref } = frame
  if (ref !== undefined && typeof ref !== 'string') return { wrong: 'egress_ref is not a text' }
  return { status: 'accepted', acceptance: 'durable', ...(ref === undefined ? {} : { egress_ref: ref }) }
}

/** Returns the line of an intent. */
export function intentLine({ kind, intent_id, fields }: SentIntent): string {
  return JSON.stringify({ type: 'intent', intent_id, kind, fields })
}

/** The last line that a channel gets. */
export const END_LINE = JSON.stringify({ type: 'end' })

function frameOf(line: string): JsonObject {
  let value: Json
  try {
    value = JSON.parse(line) as Json
  } catch {
    return { wrong: `it wrote ${text(line)}, which is not JSON` }
  }
  return isObject(value) ? value : { wrong: `it wrote ${text(value)}, which is not an object` }
}

function text(value: Json | undefined): string {
  const json = value === undefined ? 'nothing' : JSON.stringify(value)
  return json.length > 80 ? `${json.slice(0, 79)}…` : json
}
