import { isObject, type Json, type JsonObject } from '../../kernel/index.ts'
import { type Fields, fieldsOf, jsonOf, listOf, textOf } from '../dialects/loose.ts'

/** One round of a streamed reply: the chunks of the model. */
export interface RecordedRound {
  readonly chunks: readonly Fields[]
  /** False if the protocol was off in this round. */
  readonly enabled: boolean
}

/** A streamed reply as the record has it, from which a resumed agent gets the same stream. */
export interface RecordedStream {
  /** The visible text of rounds before these, which another process had. */
  readonly before: string
  readonly rounds: readonly RecordedRound[]
}

/**
 * The chunks of one round for the record, copied as they come, because clients change their objects later. Pieces of one text become one
 * chunk: a reader finds the same in any division of a text.
 */
export class RoundRecord {
  readonly enabled: boolean
  readonly #chunks: Json[] = []

  constructor(enabled: boolean) {
    this.enabled = enabled
  }

  get chunks(): readonly Fields[] {
    return this.#chunks.map(fieldsOf)
  }

  add(chunk: unknown): void {
    const next = jsonOf(chunk)
    const last = this.#chunks.length - 1
    const both = last < 0 ? undefined : joinChunks(this.#chunks[last] ?? null, next)
    if (both === undefined) this.#chunks.push(next)
    else this.#chunks[last] = both
  }
}

/** Returns a streamed reply for the record. */
export function streamRecord({ before, rounds }: RecordedStream): Json {
  return jsonOf({
    ...(before === '' ? {} : { before }),
    rounds: rounds.map(({ chunks, enabled }) => ({ chunks, ...(enabled ? {} : { enabled }) })),
  })
}

/** Reads what `streamRecord` has written; of anything else nothing. */
export function recordedStream(record: Json | undefined): RecordedStream {
  const { before, rounds } = fieldsOf(record)
  return {
    before: textOf(before),
    rounds: listOf(rounds).map((round) => ({
      chunks: listOf(fieldsOf(round)['chunks']).map(fieldsOf),
      enabled: fieldsOf(round)['enabled'] !== false,
    })),
  }
}

/** The fields in which interfaces of models send pieces of a text. */
const PIECES = new Set(['delta', 'text', 'content', 'arguments', 'partial_json', 'thinking', 'reasoning_content', 'args'])
/** Fields that number or pad chunks. */
const NUMBERS = new Set(['sequence_number', 'obfuscation'])

/** Returns two chunks as one if they differ in a piece of text alone. */
function joinChunks(one: Json, other: Json): Json | undefined {
  if (!isObject(one) || !isObject(other)) return undefined
  // What ends a text has it whole.
  if (textOf(one['type']).endsWith('.done')) return undefined
  const found = { pieces: 0 }
  const both = joinValues(one, other, '', found)
  return found.pieces === 1 ? both : undefined
}

function joinValues(one: Json, other: Json, key: string, found: { pieces: number }): Json | undefined {
  if (NUMBERS.has(key)) return other
  if (typeof one === 'string' && typeof other === 'string' && PIECES.has(key)) {
    found.pieces++
    return one + other
  }
  if (Array.isArray(one) && Array.isArray(other)) return joinLists(one, other, found)
  if (isObject(one) && isObject(other)) return joinObjects(one, other, found)
  return one === other ? one : undefined
}

function joinLists(one: readonly Json[], other: readonly Json[], found: { pieces: number }): Json | undefined {
  if (one.length !== other.length) return undefined
  const both = one.map((value, i) => joinValues(value, other[i] ?? null, '', found))
  return both.every((value) => value !== undefined) ? both : undefined
}

function joinObjects(one: JsonObject, other: JsonObject, found: { pieces: number }): Json | undefined {
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return undefined
  const both: [string, Json][] = []
  for (const key of keys) {
    const [before, after] = [one[key], other[key]]
    const value = before === undefined || after === undefined ? undefined : joinValues(before, after, key, found)
    if (value === undefined) return undefined
    both.push([key, value])
  }
  return Object.fromEntries(both)
}
