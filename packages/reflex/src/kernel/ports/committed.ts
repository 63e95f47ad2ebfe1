/** Records of a run that became durable together. */
export interface CommittedBatch {
  readonly run: string
  /** Its first and its last record. */
  readonly first: number
  readonly last: number
  /** The place after this batch. */
  readonly place: string
}

/** A part of the order in which the batches of all runs became durable. */
export interface Committed {
  readonly batches: readonly CommittedBatch[]
  /** The place after these batches. With nothing after it, the end of the order now. */
  readonly end: string
}
