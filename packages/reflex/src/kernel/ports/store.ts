import type { Fault } from '../journal/fault.ts'
import type { Json } from '../journal/json.ts'
import type { Asker, Pin, Ref, WaitType } from '../journal/record.ts'
import type { StatedUsage } from '../journal/usage.ts'

/** What is true of a value now, or later: stores in this process answer at once. */
export type Awaitable<T> = T | Promise<T>

/** A process that advances runs. `id` differs between two lives of one process. */
export interface Worker {
  readonly id: string
  readonly host: string
  readonly pid: number
}

/** Where a run stands, as lists show it. */
export type RunStatus = 'running' | 'suspended' | 'completed' | 'failed' | 'cancelled'

/** A wait as lists show it. */
export interface OpenWait {
  readonly id: Ref
  readonly type: WaitType
  readonly name: string
  /** Who asks. Rows that an older release wrote do not state it (`askerOf`). */
  readonly asker?: Asker
  /** Which question of the run it is, from 1: people address it as `otter-2m9q/q1`. 0 for other waits. */
  readonly number: number
  /** Milliseconds since the epoch. */
  readonly due?: number
  readonly about?: Json
  /** When it was opened, milliseconds since the epoch. */
  readonly since: number
  /** The node path of the frame that waits. */
  readonly path: string
  /** The frame that waits for messages: it can be addressed as `topic@frame`. Absent for other waits, and in older rows. */
  readonly frame?: Ref
}

/** The usage of a run as lists show it: amounts of 0 are left out. */
export type RowUsage = Omit<StatedUsage, 'steps'>

/** What a store knows of a run without reading its journal. */
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
  /** The earliest time that a wait is due. */
  readonly due: number | null
  readonly waits: readonly OpenWait[]
  readonly owner: Worker | null
  /** How it ended, for those that did. */
  readonly value?: Json
  /** What its effects have stated as used. Absent in a row that an older release wrote: then nobody knows it without the journal. */
  readonly used?: RowUsage
}

/** A right to advance a run. Every commit shows it; a newer token makes it void. */
export interface Lease {
  readonly run: string
  readonly token: number
  readonly worker: Worker
}

/** Who holds a run, and since when its process has not been heard of. */
export interface LeaseOwner {
  readonly worker: Worker
  /** Milliseconds since the epoch. */
  readonly seen: number
}

/** The answer to a claim. */
export type Claim = { readonly lease: Lease; readonly row: RunRow } | { readonly owner: LeaseOwner } | { readonly missing: true }

/** Records of one run that become durable together, and what goes with them. */
export interface Batch {
  readonly lease: Lease
  /** The number of the first record. The store holds exactly those before it, else it refuses. */
  readonly first: number
  readonly count: number
  /** The format of the records. */
  readonly version: number
  /** The records: a JSON list of lists. */
  readonly body: string
  readonly row: Pick<RunRow, 'status' | 'updated' | 'due' | 'waits' | 'value' | 'used'>
  readonly programs?: readonly StoredProgram[]
  readonly blobs?: ReadonlyMap<string, string>
  /** Messages that these records took. */
  readonly taken?: readonly number[]
  /**
   * Messages that these records took and that were not in the inbox: they are stored as taken, without their content, so that
   * their ids are known. One whose id is there by now is marked as taken.
   */
  readonly delivered?: readonly Message[]
  /** A fold up to the last of these records. */
  readonly snapshot?: string
}

/** A program as it is stored: by hash, for as long as a run needs it. */
export interface StoredProgram {
  readonly hash: string
  readonly kind: string
  readonly source: string
}

/** Records as they are stored. */
export interface StoredBatch {
  readonly first: number
  readonly count: number
  readonly version: number
  readonly body: string
}

/** A journal, or the part of it after a snapshot. */
export interface StoredRun {
  readonly row: RunRow
  readonly snapshot?: { readonly at: number; readonly body: string }
  readonly batches: readonly StoredBatch[]
}

/** Something told to a run from outside. `to` is a wait's name, or a topic. */
export interface Message {
  /** Unique within the run: the same id again is the same message. */
  readonly id: string
  readonly type: 'answer' | 'message' | 'cancel'
  readonly to: string
  readonly body: Json
  readonly by?: string
  readonly at: number
}

/** A bound for a storm of messages. */
export interface InboxLimit {
  /** The most messages of one topic that wait in the inbox of a run. */
  readonly most: number
  /** What comes beyond that is dropped. Absent: it is refused with `R2130`. */
  readonly drop?: true
}

/** A message that no record has taken yet. */
export interface InboxMessage extends Message {
  readonly row: number
  /** `R5013`, where the message is not what was written: then it has its id alone, and no content. */
  readonly fault?: Fault
}

/** A run whose inbox holds messages that no record has taken. */
export interface UnreadRun {
  readonly run: string
  /** Changes with each message that is posted to the run, and not with what is posted to others. */
  readonly mark: string
}

/** The result of `Store.watch`. */
export interface PostWatch {
  /** Every post calls back, also those of other processes: no process has to ask. */
  readonly complete: boolean
  stop(): void
}

/** An entry of a ledger: a log that outlives runs. */
export interface LedgerEntry {
  readonly seq: number
  readonly value: Json
  /** The run, and the effect, that appended it. */
  readonly key: string
  readonly at: number
}

/** Which runs a list shows. */
export interface RunFilter {
  readonly status?: readonly RunStatus[]
  /** Ids that begin so, or a whole trace id. */
  readonly prefix?: string
  readonly limit?: number
}

/** What a sweep takes away beside what nothing needs. */
export interface SweepOptions {
  /** Milliseconds since the epoch: tells which workers are gone. */
  readonly now: number
  /** Runs that ended at this time or earlier go too. Absent: none does. */
  readonly before?: number
  /** Only answers what would go. */
  readonly dry?: boolean
}

/** What a sweep took away. */
export interface SweepResult {
  /** Their names. */
  readonly runs: readonly string[]
  /** Their hashes. */
  readonly programs: readonly string[]
  readonly blobs: readonly string[]
}

/**
 * Where journals, programs, ledgers, blobs and the inbox live. Every implementation passes the suite in
 * `reflex-runtime/testing`. Methods throw `R5…` faults; none of them changes anything when it throws. Where a store is `durable`, what
 * `commit`, `post`, `append` and `sweep` wrote is safe when they return, and so is all that was written before; who holds
 * which run is safe with the next of these, for it concerns living processes alone.
 */
export interface Store {
  /** What it holds survives this process, so programs must be data. */
  readonly durable: boolean
  /** How a person names it: a path or an address. */
  readonly name: string

  /**
   * Makes this process known, to this object: before it, `beat`, `create` and `claim` throw `R5028`. Runs of a worker not
   * heard of for `ttl` ms may be taken over, those of a dead process on this machine at once.
   */
  hello(worker: Worker, now: number, ttl: number): Awaitable<void>
  /**
   * Renews the heartbeat: one for the process, not for each run. Returns the runs among `leases` whose lease holds: no process
   * that took the owner for gone before this heartbeat takes one of them after it. A late heartbeat does not make its worker
   * look older.
   */
  beat(worker: Worker, now: number, leases?: readonly Lease[]): Awaitable<readonly string[]>

  /** A new run and the right to advance it. Answers `taken` if the id is in use; nothing is written then. */
  create(row: Omit<RunRow, 'owner' | 'last'>, worker: Worker): Awaitable<Lease | 'taken'>
  /** The right to advance a run, if nobody alive has it. A worker that has it gets a new lease, and its older one is void. */
  claim(run: string, worker: Worker, now: number): Awaitable<Claim>
  /** Frees the run at once; the lease is void from then on. A lease that is void already releases nothing. */
  release(lease: Lease): Awaitable<void>

  /** All batches in one transaction. Answers with the runs whose lease is void or whose numbers do not follow; theirs are left out. */
  commit(batches: readonly Batch[]): Awaitable<readonly string[]>

  /** The newest snapshot no later than record `until`, and the batches after it up to the one that holds `until`. */
  read(run: string, until?: number): Awaitable<StoredRun | undefined>
  /** All batches from the one that holds record `from`, without snapshots. */
  journal(run: string, from?: number): Awaitable<readonly StoredBatch[]>
  /** Newest first; without runs that were given up before their first record. */
  runs(filter?: RunFilter): Awaitable<readonly RunRow[]>
  program(hash: string): Awaitable<StoredProgram | undefined>
  blob(hash: string): Awaitable<string | undefined>

  /**
   * Puts a message before a run, whoever holds it. False if a message of this id is there already, taken or not.
   * Throws `R2016` if there is no such run, `R2001` if it has ended, `R2002` if an answer to the same wait lies there already. With
   * a limit, also false for a message that is dropped, or `R2130`; processes that post at the same moment may exceed it by one each.
   */
  post(run: string, message: Message, limit?: InboxLimit): Awaitable<boolean>
  /** True if a message of this id was put before the run, taken or not. */
  posted(run: string, id: string): Awaitable<boolean>
  /**
   * Messages that no record has taken, in order of arrival: those after row `after`, at most `limit`. A damaged one is among them,
   * with its fault. The rows of a run grow: once a message can be read, none comes before it.
   */
  inbox(run: string, after?: number, limit?: number): Awaitable<readonly InboxMessage[]>
  /**
   * Returns the runs of a worker whose inbox holds messages. Every process asks several times a second while it holds runs: the
   * call writes nothing and costs almost nothing where nothing was posted.
   */
  unread(worker: Worker): Awaitable<readonly UnreadRun[]>
  /**
   * Calls back when something may have been posted: always after a post of this object, and after others where the store
   * hears of them. Unless the watch is `complete`, one may be missed, and `unread` is asked regularly. A watch keeps no
   * process alive, and ends with the store.
   */
  watch(posted: () => void): PostWatch
  /**
   * Unfinished runs that no living process holds and that have something due, the longest due first: a time, an answer or a
   * cancellation, a message that their row waits for, or, while they run, an owner that is gone. A message without a wait
   * is due once a wait for it opens.
   */
  due(now: number): Awaitable<readonly string[]>

  /** Appends to a ledger; the same key again appends nothing and answers the first number. */
  append(ledger: string, key: string, value: Json, at: number): Awaitable<number>
  /** The entries after number `after`, in order; numbers begin at 1. */
  ledger(name: string, after?: number, limit?: number): Awaitable<readonly LedgerEntry[]>

  /**
   * Takes away what nothing needs, in transactions so short that no commit waits for long; cut short, it leaves a store that is
   * whole, and the next one takes the rest. Of runs: those that were given up before their first record, and
   * with `before` those that have ended, with their records, snapshots and messages; never one that another run which stays
   * was forked from. Of programs and blobs: those whose hash, 64 hexadecimal digits, stands in no record of a run that stays
   * and in no ledger. What is committed at the same time stays: a run begins with a batch that holds its programs. Throws
   * `R5003` for a journal that is not what was written, since its needs are unknown.
   */
  sweep(options: SweepOptions): Awaitable<SweepResult>

  close(): Awaitable<void>
}
