import { isList, isObject } from './json.ts'
import type { Start } from './record.ts'
import type { Json } from './value.ts'

/**
 * What a record keeps readable of a value in a run that keeps no contents. `plain`: the value as it is. `hash`: its hash alone. An object names
 * its members, `*` all of them, and the others become one hash together; a list has the shape of its items. A function chooses by the value.
 */
export type PlainShape = 'plain' | 'hash' | readonly [PlainShape] | { readonly [key: string]: PlainShape } | ((value: Json) => PlainShape)

/** Returns the text that stands for a value: equal values have equal ones, and only who has the key can tell whether a value is meant. */
export type ContentHash = (value: Json) => string

/** The member of an object that stands for all members which its shape does not name. */
const REST = '#'
const ANY = '*'
const HASH = /^‹hash [0-9a-f]{16}›$/

/** Returns the mark of a hash: `‹hash 1f…›`. `hex`: 16 hexadecimal digits or more. */
export function hashMark(hex: string): string {
  return `‹hash ${hex.slice(0, 16)}›`
}

/** True for a value that stands for another one. */
function isHashMark(value: Json | undefined): value is string {
  return typeof value === 'string' && HASH.test(value)
}

/** Returns a value with hashes in place of everything that its shape does not name. What has no value stays so. */
export function concealed(value: Json, shape: PlainShape, hash: ContentHash): Json {
  if (shape === 'plain' || value === null) return value
  if (typeof shape === 'function') return concealed(value, shape(value), hash)
  if (shape === 'hash') return hash(value)
  const [item] = isShapeList(shape) ? shape : []
  if (item !== undefined) return isList(value) ? value.map((one) => concealed(one, item, hash)) : hash(value)
  return isObject(value) ? concealedMembers(value, shape as Exclude<typeof shape, readonly [PlainShape]>, hash) : hash(value)
}

function isShapeList(shape: PlainShape): shape is readonly [PlainShape] {
  return Array.isArray(shape)
}

function concealedMembers(value: { readonly [key: string]: Json }, shape: { readonly [key: string]: PlainShape }, hash: ContentHash): Json {
  const kept: [string, Json][] = []
  const rest: [string, Json][] = []
  for (const [key, member] of Object.entries(value)) {
    const inner = Object.hasOwn(shape, key) ? shape[key] : shape[ANY]
    if (inner === undefined) rest.push([key, member])
    else kept.push([key, concealed(member, inner, hash)])
  }
  if (rest.length > 0) kept.push([REST, hash(Object.fromEntries(rest))])
  return Object.fromEntries(kept)
}

/** The hash of everything: what is decided again with hashes in place of contents has other hashes than what was decided with the contents. */
const NO_HASH = hashMark('0'.repeat(16))

/** Returns the same mark for every value, for records that are compared. */
export function sameHash(): string {
  return NO_HASH
}

/** Returns a value in which all hashes are equal. */
export function withoutHashes(value: Json): Json {
  if (isHashMark(value)) return NO_HASH
  if (isList(value)) return value.map(withoutHashes)
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutHashes(inner)])) : value
}

/** What a step has read out of contents, in the note of its record. */
export type RecordedFacts = readonly (readonly [name: string, value: Json])[]

/** Returns what the step of a record has read out of contents. */
export function factsIn(note: Json | undefined): RecordedFacts {
  const facts = isObject(note) ? note['facts'] : undefined
  return isList(facts) ? (facts as unknown as RecordedFacts) : []
}

/** Marks a run among the facts of its operator: its records have hashes in place of contents. */
export const HASHED = { contents: 'hashes' } as const

/** True for a run whose records have hashes in place of contents: its decisions can be replayed, and nothing can continue it. */
export function hidesContents({ start }: { readonly start: Pick<Start, 'by'> | undefined }): boolean {
  return isObject(start?.by) && start.by['contents'] === HASHED.contents
}
