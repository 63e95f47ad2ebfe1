import { blobsOf, decodeBatch } from '../journal/codec.ts'
import { toFault } from '../journal/fault.ts'
import { faults } from '../journal/faults.ts'
import type { Rec } from '../journal/record.ts'
import type { Store, StoredBatch, StoredRun } from '../ports/store.ts'
import { loadState, type StoredState } from '../state/snapshot.ts'
import { State } from '../state/state.ts'

type StoredSnapshot = NonNullable<StoredRun['snapshot']>

/** A record with its number. */
export type NumberedRecord = readonly [n: number, record: Rec]

/** The records of a run that are in its store. */
export interface KeptRecords {
  /** The first of them. It is 1 unless earlier segments are gone, or the run began with a snapshot. */
  readonly first: number
  /** The hash of the archive with the records before it, if the store knows it. */
  readonly archive?: string
}

/** A part of a journal that can be folded without the records before it. */
export interface JournalPart {
  /** The number of its first record. */
  readonly first: number
  /** Returns the state before its first record. Each call returns another object. */
  opening(): State
  /** Reads its records in order. Throws `R5003` for a journal that cannot be read. */
  records(): AsyncGenerator<NumberedRecord>
}

/**
 * Reads the records `from` to `until`, by default all current ones, in order. Few of them are in memory at a time. Throws `R5003` for a
 * journal that cannot be read, and `R5054` for records that the store no longer has.
 */
export async function* readRecords(store: Store, run: string, from = 1, until?: number): AsyncGenerator<NumberedRecord> {
  let next: number | undefined
  for await (const batch of store.batches(run, from, until)) {
    if (next !== undefined && batch.first !== next) throw missingRecord(run, next)
    next = batch.first
    for (const record of await decodeStored(store, run, batch)) {
      if (next >= from && (until === undefined || next <= until)) yield [next, record]
      next++
    }
  }
}

/** Returns the records of a run that its store has. */
export async function keptRecords(store: Store, run: string): Promise<KeptRecords> {
  let first = 1
  let archive: string | undefined
  for (const segment of await store.segments(run)) {
    if (segment.place !== 'gone') return { first: segment.first, ...(archive === undefined ? {} : { archive }) }
    first = segment.last + 1
    archive = segment.archive
  }
  return { first, ...(archive === undefined ? {} : { archive }) }
}

/** Returns the first record of the segment that a record is in. */
export async function segmentStart(store: Store, run: string, record: number): Promise<number> {
  return (await store.segments(run)).findLast(({ first }) => first <= record)?.first ?? 1
}

/**
 * Returns the part of a journal that ends with record `until`, by default the current last one. It begins after the newest snapshot before
 * record `from`, so that a late part of a long journal is read without the records before it. Throws `R5054` if the store no longer has
 * record `from`.
 */
export async function readPart(store: Store, run: string, from: number, until?: number): Promise<JournalPart> {
  const snapshot = await snapshotBefore(store, run, from)
  const first = (snapshot?.at ?? 0) + 1
  return {
    first,
    opening: () => openingState(run, snapshot),
    records: () => readRecords(store, run, first, until),
  }
}

/** Returns the state of a snapshot, or the empty one without a snapshot. Throws `R5003` for a snapshot that cannot be read. */
export function openingState(run: string, snapshot: StoredSnapshot | undefined): State {
  return (snapshot === undefined ? undefined : loadSnapshot(run, snapshot)) ?? new State()
}

/** Returns the newest snapshot before a record. One of an earlier release cannot be loaded; its run has all records. */
async function snapshotBefore(store: Store, run: string, record: number): Promise<StoredRun['snapshot']> {
  if (record <= 1) {
    // Throws for a run without its first record.
    if ((await keptRecords(store, run)).first > 1) await store.read(run, 1)
    return undefined
  }
  const { snapshot } = (await store.read(run, record - 1)) ?? {}
  return snapshot === undefined || loadSnapshot(run, snapshot) === undefined ? undefined : snapshot
}

/** Decodes a stored batch, with the large values of its records. Throws `R5003`. */
export async function decodeStored(store: Store, run: string, { version, body, first }: StoredBatch): Promise<Rec[]> {
  const blobs = new Map<string, string>()
  for (const hash of blobsOf(body)) blobs.set(hash, (await store.blob(hash)) ?? missingBlob(run, hash))
  return decodeBatch(version, body, (hash) => blobs.get(hash) ?? missingBlob(run, hash), { run, first })
}

/** Returns the state of a snapshot. Undefined for one of an earlier release, which has no meter: its run has all records. */
export function loadSnapshot(run: string, { at, body }: StoredSnapshot): State | undefined {
  try {
    const stored = JSON.parse(body) as StoredState
    const state = loadState(stored)
    return stored.meter === undefined ? undefined : state
  } catch (thrown) {
    throw toFault(thrown, (message) => faults.make('R5003', `${run}: the snapshot after record ${at} cannot be read: ${message}`, { run }))
  }
}

export function missingRecord(run: string, record: number): Error {
  return faults.make('R5003', `${run}: record ${record} is missing`, { run, data: { record } })
}

function missingBlob(run: string, hash: string): never {
  throw faults.make('R5003', `${run}: the value ${hash.slice(0, 8)} is not in the store`, { run })
}
