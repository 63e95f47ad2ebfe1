import { digest } from './digest.ts'
import { faults } from './faults.ts'
import { isList, isObject, type Json, type JsonObject } from './json.ts'
import { newInput, newOutputs } from './old-words.ts'
import { unknownPart } from './record-shape.ts'
import { FORMAT, type Input, type Outputs, type Rec, type Ref, type Request, type TakenMessage } from './record.ts'

/**
 * A stored record is a list: a number that states which parts follow, then the parts in the order of these bits.
 * docs/journal.md describes the format; `FORMAT` is its version.
 */
const FRAME = 1
const ELAPSED = 2
const INPUT = 4
const WRITES = 8
const POSITION = 16
const REQUESTS = 32
const MORE = 64
/** Written values that are equal to the input's value or a part of it, so they are stored only once. */
const SHARED = 128
/** Values of more than `BLOB_BYTES`, stored outside the journal under their hash. */
const BLOBS = 256
/** The record counts a step. No part follows. */
const STEP = 512

const BLOB_BYTES = 100_000
/** A shorter string costs less than a reference to it. */
const SHARE_LENGTH = 24

/** A stored record, and its large values, which are stored separately. */
export interface EncodedRecord {
  readonly text: string
  readonly blobs: ReadonlyMap<string, string> | undefined
}

export function encodeRecord(record: Rec): EncodedRecord {
  const parts = partsOf(record)
  const text = JSON.stringify(parts)
  return text.length <= BLOB_BYTES ? { text, blobs: undefined } : encodeWithBlobs(parts)
}

type Part = Json | Input | readonly Request[] | Outputs | readonly SharedValue[] | undefined
/** The index of a write in the flat list, or -1 for the whole list, and the path into the input's value. */
type SharedValue = readonly [slot: number, ...path: (string | number)[]]

function partsOf(record: Rec): Part[] {
  const { frame, elapsed, writes, position, requests, more } = record
  const input = storedInput(record.input)
  const shared = writes === undefined ? undefined : sharedValues(writes, input)
  const parts: Part[] = [0]
  let bits = 0
  if (frame !== 0) bits |= addPart(parts, FRAME, frame)
  if (elapsed !== 0) bits |= addPart(parts, ELAPSED, elapsed)
  if (input !== undefined) bits |= addPart(parts, INPUT, input)
  if (writes !== undefined) bits |= addPart(parts, WRITES, shared === undefined ? writes : withoutShared(writes, shared))
  if (position !== undefined) bits |= addPart(parts, POSITION, position)
  if (requests !== undefined) bits |= addPart(parts, REQUESTS, requests)
  if (more !== undefined) bits |= addPart(parts, MORE, more)
  if (shared !== undefined) bits |= addPart(parts, SHARED, shared)
  if (record.step === true) bits |= STEP
  parts[0] = bits
  return parts
}

function addPart(parts: Part[], bit: number, part: Part): number {
  parts.push(part)
  return bit
}

/** The fold computes the value of a return or an end again, so it is not stored with its input. */
function storedInput(input: Input | undefined): Input | undefined {
  return (input?.[0] === 'ret' || input?.[0] === 'end') && input.length > 3 ? [input[0], input[1], input[2]] : input
}

function inputValue(input: Input | undefined): Json | undefined {
  switch (input?.[0]) {
    case 'ok':
    case 'part':
    case 'answer':
    case 'message':
    case 'messages':
      return input[2]
    default:
      return undefined
  }
}

function sharedValues(writes: readonly Json[], input: Input | undefined): SharedValue[] | undefined {
  const value = inputValue(input)
  if (input?.[0] === 'messages') return findShared(writes, bodiesOf(input[2]))
  if (typeof value !== 'object' || value === null) return isShareable(value) ? findShared(writes, [[value, []]]) : undefined
  const inner: [Json, (string | number)[]][] = [[value, []]]
  for (const [key, part] of Object.entries(value))
    if (part === (writes as Json) || isShareable(part)) inner.push([part, [isList(value) ? Number(key) : key]])
  return findShared(writes, inner)
}

function bodiesOf(messages: readonly TakenMessage[]): [Json, (string | number)[]][] {
  return messages.flatMap(([, body], i): [Json, (string | number)[]][] => (isShareable(body) ? [[body, [i, 1]]] : []))
}

function isShareable(value: Json | undefined): boolean {
  return typeof value === 'string' ? value.length >= SHARE_LENGTH : typeof value === 'object' && value !== null
}

function findShared(
  writes: readonly Json[],
  candidates: readonly (readonly [Json | undefined, readonly (string | number)[]])[],
): SharedValue[] | undefined {
  const shared: SharedValue[] = []
  for (const [part, path] of candidates) if (part === (writes as Json)) return [[-1, ...path]]
  for (let slot = 1; slot < writes.length; slot += 2) {
    if (!isShareable(writes[slot])) continue
    const found = candidates.find(([part]) => part === writes[slot])
    if (found !== undefined) shared.push([slot, ...found[1]])
  }
  return shared.length === 0 ? undefined : shared
}

function withoutShared(writes: readonly Json[], shared: readonly SharedValue[]): Json {
  if (shared[0]?.[0] === -1) return 0
  const slots = new Set(shared.map(([slot]) => slot))
  return writes.map((value, slot) => (slots.has(slot) ? 0 : value))
}

/** Extracts the innermost values that are too large, so that shared or small values around them stay readable. */
function encodeWithBlobs(parts: readonly Part[]): EncodedRecord {
  const blobs = new Map<string, string>()
  const paths: Json[] = []
  const extract = (value: Json, path: readonly (string | number)[]): Json => {
    const text = typeof value === 'string' || (typeof value === 'object' && value !== null) ? JSON.stringify(value) : ''
    if (text.length <= BLOB_BYTES) return value
    const withoutBlobs = typeof value === 'string' ? value : extractInner(value, path)
    const rest = typeof withoutBlobs === 'string' ? text : JSON.stringify(withoutBlobs)
    if (rest.length <= BLOB_BYTES) return withoutBlobs
    const hash = digest(rest)
    blobs.set(hash, rest)
    // Outer before inner: a reader inserts the outer one first.
    paths.unshift([hash, ...path])
    return 0
  }
  const extractInner = (value: Json, path: readonly (string | number)[]): Json => {
    if (isList(value)) return value.map((item, i) => extract(item, [...path, i]))
    const entries = Object.entries(value as JsonObject).map(([key, item]) => [key, extract(item, [...path, key])] as const)
    return Object.fromEntries(entries)
  }
  const [bits, ...rest] = JSON.parse(JSON.stringify(parts)) as [number, ...Json[]]
  const withoutBlobs = rest.map((part, i) => extract(part, [i + 1]))
  return { text: JSON.stringify([bits | BLOBS, ...withoutBlobs, paths]), blobs }
}

/** The place of a batch, for faults. */
export interface BatchPlace {
  readonly run: string
  /** The number of its first record. */
  readonly first: number
}

/**
 * Decodes the records of a stored batch: its version, and its records as a JSON list. Throws `R5004` for a newer format and
 * `R5003` for anything that this release cannot read.
 */
export function decodeBatch(version: number, body: string, blob: (hash: string) => string, place?: BatchPlace): Rec[] {
  const of = place === undefined ? '' : `${place.run}: `
  const details = place === undefined ? {} : { run: place.run, data: { record: place.first } }
  if (version > FORMAT) throw faults.make('R5004', `${of}the journal has format ${version}; this release knows up to ${FORMAT}`, details)
  let rows: unknown
  try {
    rows = JSON.parse(body)
  } catch (cause) {
    throw faults.make('R5003', `${of}a batch of records cannot be read`, { ...details, cause })
  }
  if (!Array.isArray(rows)) throw faults.make('R5003', `${of}a batch of records is not a list`, details)
  const isOld = version < 3
  return rows.map((row, i) => decodeRecord(row, blob, isOld, place === undefined ? undefined : { ...place, first: place.first + i }))
}

/** Matches a record with blobs: it contains a list that begins with a hash. */
const NAMES_BLOB = /\["[0-9a-f]{64}"/

/** Returns the hashes of the blobs that a batch needs. */
export function blobsOf(body: string): string[] {
  if (!NAMES_BLOB.test(body)) return []
  const rows: unknown = JSON.parse(body)
  if (!Array.isArray(rows)) return []
  const hashes = rows.flatMap((row) =>
    isList(row) && typeof row[0] === 'number' && (row[0] & BLOBS) !== 0 ? blobPaths(row).map(([hash]) => hashOf(hash)) : [],
  )
  return [...new Set(hashes)]
}

function hashOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function blobPaths(row: readonly Json[]): (readonly Json[])[] {
  const last = row.at(-1)
  return isList(last) ? last.filter(isList) : []
}

function unreadableRecord(what: string, place: BatchPlace | undefined): Error {
  if (place === undefined) return faults.make('R5003', `a record ${what}`)
  const { run, first: record } = place
  return faults.make('R5003', `${run}: record ${record} ${what}`, { run, data: { record } })
}

function decodeRecord(row: unknown, blob: (hash: string) => string, isOld: boolean, place: BatchPlace | undefined): Rec {
  if (!isList(row) || typeof row[0] !== 'number' || !Number.isInteger(row[0]) || row[0] < 0 || row[0] >= STEP * 2)
    throw unreadableRecord('is not a list of known parts', place)
  const bits = row[0]
  if (row.length !== 1 + countParts(bits & ~STEP)) throw unreadableRecord('does not have the parts that it names', place)
  const parts = (bits & BLOBS) === 0 ? row : withBlobs(row, blob, place)
  let at = 1
  const take = (bit: number): unknown => ((bits & bit) === 0 ? undefined : parts[at++])
  const frame = (take(FRAME) ?? 0) as Ref
  const elapsed = (take(ELAPSED) ?? 0) as number
  const storedInput = take(INPUT)
  const input = freeze(isOld ? newInput(storedInput) : storedInput) as Input | undefined
  const writes = take(WRITES) as readonly Json[] | undefined
  const position = freeze(take(POSITION)) as Json | undefined
  const requests = freeze(take(REQUESTS)) as readonly Request[] | undefined
  const storedOutputs = take(MORE)
  const more = freeze(isOld ? newOutputs(storedOutputs) : storedOutputs) as Outputs | undefined
  const shared = take(SHARED) as readonly SharedValue[] | undefined
  const allWrites = shared === undefined ? (freeze(writes) as typeof writes) : restoreShared(writes, shared, inputValue(input), place)
  const unknown = unknownPart({ input, writes: allWrites, requests, more })
  if (unknown !== undefined) throw unreadableRecord(`has ${unknown}`, place)
  return { frame, elapsed, input, writes: allWrites, position, requests, more, step: (bits & STEP) === 0 ? undefined : true }
}

function countParts(bits: number): number {
  let count = 0
  for (let left = bits; left > 0; left >>= 1) count += left & 1
  return count
}

function withBlobs(row: readonly Json[], blob: (hash: string) => string, place: BatchPlace | undefined): readonly Json[] {
  const parts = structuredClone(row) as Json[]
  for (const [hash, ...path] of blobPaths(row)) {
    const last = path.pop()
    const parent = path.reduce<unknown>(partAt, parts)
    // An extracted value left a 0 at its place. A forged path could lead to a property that all objects share.
    if ((typeof last !== 'string' && typeof last !== 'number') || partAt(parent, last) !== 0)
      throw unreadableRecord('puts a value where none was taken out', place)
    ;(parent as Record<string, Json>)[last] = JSON.parse(blob(hashOf(hash))) as Json
  }
  return parts
}

function restoreShared(
  writes: readonly Json[] | undefined,
  shared: readonly SharedValue[],
  value: Json | undefined,
  place: BatchPlace | undefined,
): readonly Json[] {
  const follow = (path: readonly (string | number)[]) => path.reduce<unknown>(partAt, value) as Json | undefined
  const [first] = shared
  if (first?.[0] === -1) return follow(first.slice(1)) as readonly Json[]
  const allWrites = [...(writes ?? [])]
  for (const [slot, ...path] of shared) {
    if (partAt(allWrites, slot) !== 0) throw unreadableRecord('shares a value with a place that is not there', place)
    allWrites[slot] = follow(path) ?? null
  }
  return allWrites
}

/** Returns the item of a list at an index, or the own property of an object. */
function partAt(holder: unknown, step: Json): unknown {
  if (isList(holder)) return typeof step === 'number' ? holder[step] : undefined
  return isObject(holder) && typeof step === 'string' && Object.hasOwn(holder, step) ? holder[step] : undefined
}

/** Freezes values from a store, like values that were written. */
function freeze(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freeze(inner)
  }
  return value
}
