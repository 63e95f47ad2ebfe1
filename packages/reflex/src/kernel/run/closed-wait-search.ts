import { type ClosedWait, findClosedWait } from '../state/closed-waits.ts'
import type { Wait } from '../state/frame.ts'
import type { Rec } from '../journal/record.ts'
import type { Journals } from './journals.ts'

/** The part of a journal in which a closed wait is searched. */
export interface SearchRange {
  /** The first record of the range: the wait was not open before. Default: 1. */
  readonly from?: number
  /** The last record of the range that the store has. Default: the last one of the run. */
  readonly durable?: number
  /** The records after `durable`, which the store may not have. */
  readonly recent?: readonly Rec[]
}

/**
 * Returns the record that closed a wait, from the last segment of a stored run back to the one with record `from`. Throws the faults of the
 * store, and `R5054` for a segment that is gone.
 */
export async function searchClosedWait(
  journals: Journals,
  run: string,
  matches: (wait: Wait) => boolean,
  { from = 1, durable = Number.POSITIVE_INFINITY, recent = [] }: SearchRange = {},
): Promise<ClosedWait | undefined> {
  let later = recent
  for await (const { segment, records, opening } of journals.backwards(run, durable)) {
    const stored = records.slice(0, durable - segment.opens)
    const found = findClosedWait([...stored, ...later], matches, opening())
    if (found !== undefined || segment.first <= from) return found
    later = []
  }
  return undefined
}
