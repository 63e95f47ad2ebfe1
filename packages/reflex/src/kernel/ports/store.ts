import type { Fault } from '../journal/fault.ts'
import type { Json } from '../journal/json.ts'
import type { Asker, Pin, Ref, WaitType } from '../journal/record.ts'
import type { StatedUsage } from '../journal/usage.ts'
import type { AppendOptions, Appended, Compaction, LatestEntries, LedgerEntry, NewEntry } from './ledger-entries.ts'
import type { Committed } from './committed.ts'
import type { Base, PackResult, Segment, StoredBatch, StoredSegment } from './segment.ts'

export type * from './committed.ts'
export type * from './ledger-entries.ts'
export type { StoredBatch } from './segment.ts'

/** A value, or a promise of it: stores in this process answer synchronously. */
export type Awaitable<T> = T | Promise<T>

/** A process that advances runs. `id` is different after a restart of the process. */
export interface Worker {
  readonly id: string
  readonly host: string
  readonly pid: number
}

/** The status of a run in lists. */
export type RunStatus = 'running' | 'suspended' | 'completed' | 'failed' | 'cancelled'

/** A wait in lists. */
export interface OpenWait {
  readonly id: Ref
  readonly type: WaitType
  readonly name: string
  /** The asker. Rows of older releases do not state it (`askerOf`). */
  readonly asker?: Asker
  /** The number of the question in the run, from 1: people use it as `otter-2m9q/q1`. 0 for other waits. */
  readonly number: number
  /** Milliseconds since the epoch: of a timer with `every`, its next time as of the last record. */
  readonly due?: number
  /** Of a timer that stays open: milliseconds between two of its times. */
  readonly every?: number
  readonly about?: Json
  /** The time at which it was opened, in milliseconds since the epoch. */
  readonly since: number
  /** The node path of the waiting frame. */
  readonly path: string
  /** The frame that waits for messages: it can be addressed as `topic@frame`. Absent for other waits, and in older rows. */
  readonly frame?: Ref
}

/** The usage of a run in lists, without amounts of 0. */
export type RowUsage = Omit<StatedUsage, 'steps'>

/** The data of a run that can be read without its journal. */
export interface RunRow {
  readonly id: string
  /** 128 bits, 32 hexadecimal digits. */
  readonly trace: string
  readonly program: Pin
  readonly status: RunStatus
  /** The number of its last durable record. */
  readonly last: number
  /** Milliseconds since the epoch. */
  readonly started: number
  readonly updated: number
  /** The earliest due time of its waits. */
  readonly due: number | null
  readonly waits: readonly OpenWait[]
  readonly owner: Worker | null
  /** The result of an ended run. */
  readonly value?: Json
  /** The usage that its effects have stated. Absent in a row of an older release: it is then only known from the journal. */
  readonly used?: RowUsage
}

/** The right to advance a run. Every commit presents it; a newer token invalidates it. */
export interface Lease {
  readonly run: string
  readonly token: number
  readonly worker: Worker
}

/** The owner of a run, and the last heartbeat of its process. */
export interface LeaseOwner {
  readonly worker: Worker
  /** Milliseconds since the epoch. */
  readonly seen: number
}

/** The result of a claim. */
export type Claim = { readonly lease: Lease; readonly row: RunRow } | { readonly owner: LeaseOwner } | { readonly missing: true }

/** Records of one run that become durable together, with related data. */
export interface Batch {
  readonly lease: Lease
  /** The number of the first record. The store refuses the batch unless it has exactly the records before it. */
  readonly first: number
  readonly count: number
  /** The format of the records. */
  readonly version: number
  /** The records: a JSON list of lists. */
  readonly body: string
  readonly row: Pick<RunRow, 'status' | 'updated' | 'due' | 'waits' | 'value' | 'used'>
  readonly programs?: readonly StoredProgram[]
  readonly blobs?: ReadonlyMap<string, string>
  /** The messages that these records took. */
  readonly taken?: readonly number[]
  /**
   * Messages that these records took and that were not in the inbox: they are stored as taken, without their content, so that
   * their ids are known. One whose id is there by now is marked as taken.
   */
  readonly delivered?: readonly Message[]
  /** The fold up to the last of these records. */
  readonly snapshot?: string
  /**
   * The last of these records ends a segment, and the snapshot opens the next one; without a snapshot, `R5053`. Messages
   * that records before this segment took are forgotten, so their ids can be posted again; only the newest message of the run is
   * kept until a newer one comes, so that no number of a message is used twice.
   */
  readonly seal?: true
}

/** A stored program, by hash. It is kept while a run needs it. */
export interface StoredProgram {
  readonly hash: string
  readonly kind: string
  readonly source: string
}

/** A journal, or the part of it after a snapshot. */
export interface StoredRun {
  readonly row: RunRow
  readonly snapshot?: { readonly at: number; readonly body: string }
  readonly batches: readonly StoredBatch[]
}

/** A message to a run from outside. `to` is the name of a wait, or a topic. */
export interface Message {
  /** Unique within the run: a message with the same id is the same message. */
  readonly id: string
  readonly type: 'answer' | 'message' | 'cancel'
  readonly to: string
  readonly body: Json
  readonly by?: string
  /** The reason of an answer. */
  readonly reason?: string
  readonly at: number
}

/** A bound for a storm of messages. */
export interface InboxLimit {
  /** The most messages of one topic that wait in the inbox of a run. */
  readonly most: number
  /** A message beyond the limit is dropped. Absent: it is refused with `R2130`. */
  readonly drop?: true
}

/** A message that no record has taken yet. */
export interface InboxMessage extends Message {
  readonly row: number
  /** `R5013` if the message differs from what was written: it then has only its id and no content. */
  readonly fault?: Fault
}

/** A run with messages in its inbox that no record has taken. */
export interface UnreadRun {
  readonly run: string
  /** Changes with each message that is posted to the run, and not with what is posted to others. */
  readonly mark: string
}

/** The result of `Store.follow`. It does not keep the process alive, and ends with the store. */
export interface CommitWatch {
  /** True while the processes of the store announce their commits. An announcement can be lost: `committed` is then asked seldom, not never. */
  readonly announces: boolean
  add(run: string): void
  delete(run: string): void
  stop(): void
}

/** The result of `Store.watch`. */
export interface PostWatch {
  /** True if every post calls back, also those of other processes: then polling is not needed. */
  readonly complete: boolean
  stop(): void
}

/** The filter of a list of runs. */
export interface RunFilter {
  readonly status?: readonly RunStatus[]
  /** The beginning of the ids, or a complete trace id. */
  readonly prefix?: string
  /** The kind of the program of a run. */
  readonly kind?: string
  /** The name of the program of a run: `workflow:refund`. */
  readonly program?: string
  /** Runs that changed at this time or later, in milliseconds since the epoch. */
  readonly since?: number
  /** Runs that last changed before this time. */
  readonly until?: number
  /** Runs after this one in the list. There is no list after a run that the store does not have. */
  readonly after?: string
  readonly limit?: number
}

/** The options of a sweep. */
export interface SweepOptions {
  /** Milliseconds since the epoch; determines which workers are gone. */
  readonly now: number
  /** Also deletes runs that ended at this time or earlier. Absent: deletes no ended run. */
  readonly before?: number
  /** Only reports what would be deleted. */
  readonly dry?: boolean
}

/** The deleted data of a sweep. */
export interface SweepResult {
  /** The names of the runs. */
  readonly runs: readonly string[]
  /** The hashes of the programs. */
  readonly programs: readonly string[]
  readonly blobs: readonly string[]
  /** The number of entries that left their ledgers because of the retention of these. */
  readonly entries: number
}

/**
 * Stores journals, programs, ledgers, blobs and inboxes. Every implementation passes the suite in `reflex-runtime/testing`.
 * Methods throw `R5…` faults; a method that throws changes nothing. If a store is `durable`, everything that `commit`, `post`, `postAll`,
 * `append`, `appendAll`, `compact` and `sweep` wrote is safe when they return, and so is everything written before. The owners of runs are safe with
 * the next of these calls, because they only concern living processes.
 */
export interface Store {
  /** True if its data survives this process; programs must then be data. */
  readonly durable: boolean
  /** The name for people: a path or an address. */
  readonly name: string

  /**
   * Registers this process with this object: before, `beat`, `create` and `claim` throw `R5028`. Runs of a worker without a
   * heartbeat for `ttl` ms may be taken over; those of a dead process on this machine at once.
   */
  hello(worker: Worker, now: number, ttl: number): Awaitable<void>
  /**
   * Renews the heartbeat: one for the process, not one per run. Returns the runs of `leases` whose lease is valid: no process
   * that considered the owner dead before this heartbeat takes one of them after it. A late heartbeat does not make its worker
   * look older.
   */
  beat(worker: Worker, now: number, leases?: readonly Lease[]): Awaitable<readonly string[]>

  /**
   * Creates a run with a lease. Returns `taken` if the id is in use; then nothing is written. With `base`, the run continues
   * from that snapshot: its first record has number `base.at + 1`.
   */
  create(row: Omit<RunRow, 'owner' | 'last'> & { readonly base?: Base }, worker: Worker): Awaitable<Lease | 'taken'>
  /**
   * Returns a lease for a run if no living worker has it. A worker that has it already gets a new lease, and the older one
   * becomes invalid.
   */
  claim(run: string, worker: Worker, now: number): Awaitable<Claim>
  /** Releases the run at once; the lease becomes invalid. An invalid lease releases nothing. */
  release(lease: Lease): Awaitable<void>

  /**
   * Writes all batches in one transaction. Returns the runs whose lease is invalid or whose numbers do not follow; their
   * batches are not written.
   */
  commit(batches: readonly Batch[]): Awaitable<readonly string[]>

  /**
   * Returns the newest snapshot up to record `until`, and the batches after it up to the one with `until`; for 0, only the
   * row. Throws `R5054` if the run no longer has these records, or began with a later one.
   */
  read(run: string, until?: number): Awaitable<StoredRun | undefined>
  /**
   * Returns all batches of all segments from the one with record `from` on, without snapshots. Throws `R5054` if some are
   * gone.
   */
  journal(run: string, from?: number): Awaitable<readonly StoredBatch[]>

  /**
   * Reads the batches from the one with record `from` to the one with record `until`, by default the last one now. They are
   * read in parts while they are used, so that a long journal is never in memory as a whole. Throws as `journal`.
   */
  batches(run: string, from?: number, until?: number): AsyncIterable<StoredBatch>
  /**
   * Returns the segments of a run in order, the open one last. A run that was never sealed has one, or none before its first
   * record.
   */
  segments(run: string): Awaitable<readonly Segment[]>
  /**
   * Returns a segment and everything that folds it, or undefined if there is none. Throws `R5054` if it is gone, `R5003` for
   * damage.
   */
  segment(run: string, number: number): Awaitable<StoredSegment | undefined>
  /**
   * Compresses the records of a sealed segment and drops the snapshots inside it. Needs no lease: a sealed segment never
   * changes. A segment that is packed or gone stays as it is. Throws `R2016`, and `R5051` if there is no such sealed segment.
   */
  pack(run: string, number: number): Awaitable<PackResult>
  /**
   * Removes the records of all segments up to this one: they are in the archive with this hash. Needs no lease. Segments
   * that are gone already keep their archive. Throws `R2016`, `R5051` if there is no such sealed segment, and `R5052` if one
   * of them is not packed; then nothing is removed.
   */
  forget(run: string, through: number, archive: string): Awaitable<void>

  /**
   * Returns the batches of all runs that became durable after a place, at most `limit`, in an order that never changes and in which those of
   * a run have the order of their records. Without a place, only the place of the end now. It costs almost nothing if there are none: every
   * server calls it several times a second. Batches of removed runs are left out. Undefined if the place is not one of this store, or if
   * records after it were packed since: then the order cannot be continued from there.
   */
  committed(after?: string, limit?: number): Awaitable<Committed | undefined>

  /** Returns runs, newest first, without runs that were dropped before their first record. Throws `R2016` for an unknown run `after`. */
  runs(filter?: RunFilter): Awaitable<readonly RunRow[]>
  program(hash: string): Awaitable<StoredProgram | undefined>
  blob(hash: string): Awaitable<string | undefined>

  /**
   * Posts a message to a run, in whichever process it is. False if a message of this id is there already, taken or not.
   * Throws `R2016` if there is no such run, `R2001` if it has ended, `R2002` if an answer to the same wait lies there already. With
   * a limit, also false for a message that is dropped, or `R2130`; processes that post at the same moment may exceed it by one each.
   */
  post(run: string, message: Message, limit?: InboxLimit): Awaitable<boolean>
  /**
   * Posts several messages in one transaction, in their order. Returns for each what `post` would have returned for it alone, or the
   * fault that it would have thrown; such a message is not posted, the others are. Throws `R2016` if there is no such run.
   */
  postAll(run: string, messages: readonly Message[], limit?: InboxLimit): Awaitable<readonly (boolean | Fault)[]>
  /** True if a message of this id was put before the run, taken or not. */
  posted(run: string, id: string): Awaitable<boolean>
  /**
   * Messages that no record has taken, in order of arrival: those after row `after`, at most `limit`. A damaged one is among them,
   * with its fault. The rows of a run grow: once a message can be read, none comes before it.
   */
  inbox(run: string, after?: number, limit?: number): Awaitable<readonly InboxMessage[]>
  /**
   * Returns the runs of a worker with messages in their inbox. Every process calls it several times a second while it owns
   * runs: the call writes nothing and costs almost nothing if nothing was posted.
   */
  unread(worker: Worker): Awaitable<readonly UnreadRun[]>
  /**
   * Calls back when something may have been posted: always after a post of this object, and after other posts that the store
   * notices. Unless the watch is `complete`, a post may be missed, and `unread` is called regularly. A watch does not keep the
   * process alive, and ends with the store.
   */
  watch(posted: () => void): PostWatch
  /**
   * Calls back soon after a commit to a run that was added to the watch, or with `all` to any run, also by another process: with the runs,
   * or without them if some may have changed and it is not known which. A store without it has its followers ask `committed` often.
   */
  follow?(changed: (runs: ReadonlySet<string> | undefined) => void, all?: boolean): CommitWatch
  /**
   * Returns unfinished runs without a living owner that have something due, the longest due first: a time, an answer or a
   * cancellation, a message that their row waits for, or, for running ones, an owner that is gone. A message without a wait is
   * due when a wait for it opens.
   */
  due(now: number): Awaitable<readonly string[]>

  /** Appends an entry without a name. A repeated key appends nothing and returns the first number. Throws as `appendAll`. */
  append(ledger: string, key: string, value: Json, at: number): Awaitable<number>
  /**
   * Appends several entries with consecutive numbers in one transaction, or none of them if a condition is not met. A repeated key
   * appends nothing and returns the first numbers, whatever the conditions are now; a key whose append met no condition is free.
   * Throws `R5055`, `R2004` or `R2019` for entries that no store takes.
   */
  appendAll(ledger: string, key: string, entries: readonly NewEntry[], at: number, options?: AppendOptions): Awaitable<Appended>
  /**
   * Returns the entries after number `after`, in order; numbers begin at 1. A compacted ledger has fewer, but for each name that
   * changed after `after` the newest. Throws `R5056` if entries without a name, or deletions of names, were removed after `after`:
   * the reader then begins again with `latest`. Throws `R5003` for an entry that is missing or not what was written.
   */
  ledger(name: string, after?: number, limit?: number): Awaitable<readonly LedgerEntry[]>
  /**
   * Returns the current values of these names, by default of all. The time depends on the number of names and not on the number of
   * entries. Throws `R5003` for an entry that is not what was written.
   */
  latest(ledger: string, names?: readonly string[]): Awaitable<LatestEntries>
  /**
   * Removes entries that nobody needs, in short transactions, and returns their number. The current value of a name, the last
   * entry of the ledger and a part of what was appended together always stay, and so do entries that an open run may append again
   * after a crash: those whose key is `RUN:RECORD`, until the run ends. The keys of removed entries are forgotten.
   * Throws `R5085` for a bound that is not valid, and `R5003` if an entry is not what was written; it and what follows stays.
   */
  compact(ledger: string, compaction: Compaction): Awaitable<number>

  /**
   * Deletes data that nothing needs, in short transactions that do not block commits for long. An interrupted sweep leaves a
   * valid store, and the next one deletes the rest. Runs: those dropped before their first record, and with `before` those that
   * have ended, with their records, snapshots and messages; never a run that a remaining run was forked from. Programs and
   * blobs: those whose hash, 64 hexadecimal digits, is in no record of a remaining run and in no ledger. Data that is committed
   * at the same time stays: a run starts with a batch that contains its programs. Entries: those that ledgers with a retention no
   * longer keep (`compact`); what only they name goes with the next sweep. Throws `R5003` for a damaged journal, because
   * its needs are unknown.
   */
  sweep(options: SweepOptions): Awaitable<SweepResult>

  close(): Awaitable<void>
}
