/** Records as they are stored. */
export interface StoredBatch {
  readonly first: number
  readonly count: number
  readonly version: number
  readonly body: string
}

/**
 * A part of a journal: the records from one seal to the next. It can be folded alone, from the snapshot that opens it.
 * All segments together are the whole journal.
 */
export interface Segment {
  /** The first segment of a run has number 1. */
  readonly number: number
  /** Its first record. */
  readonly first: number
  /** Its last record: the one that sealed it, or the last one of the run while it is open. */
  readonly last: number
  /** The format of its last record. */
  readonly version: number
  /** The checksum of all records up to its last one. */
  readonly chain: number
  /** The record whose snapshot opens it. 0: it begins with the first record of the run. */
  readonly opens: number
  /** False for the last segment of a run until its seal. */
  readonly sealed: boolean
  /** The hashes that its records name. Empty until it is packed: then its records tell. */
  readonly needs: readonly string[]
  /** `packed`: its records are compressed. `gone`: they are only in an archive. */
  readonly place: 'rows' | 'packed' | 'gone'
  /** The hash of the archive that has its records, if it is gone. */
  readonly archive?: string
}

/** The state with which a segment begins. */
export interface OpeningSnapshot {
  /** The last record that it includes. */
  readonly at: number
  /** The checksum of the records up to `at`. */
  readonly chain: number
  readonly body: string
}

/** A segment after `Store.pack`. */
export interface PackResult extends Segment {
  /** The number of bytes by which this call has made its records smaller. 0 if they were packed or gone already. */
  readonly saved: number
}

/** A segment with everything that folds it. */
export interface StoredSegment {
  readonly segment: Segment
  /** Absent if it begins with the first record of the run. */
  readonly snapshot?: OpeningSnapshot
  readonly batches: readonly StoredBatch[]
}

/** The state with which a run begins instead of records: of a fork, or of an archive whose earlier records are elsewhere. */
export interface Base {
  /** The last record that the snapshot includes. The first record of the run has the next number. */
  readonly at: number
  /** The checksum of the records up to `at`, where they are. */
  readonly chain: number
  readonly snapshot: string
  /** The run that this one was forked from: a sweep keeps it as long as this one. */
  readonly parent?: string
}
