/**
 * How far a source has been taken. Reading goes on at `offset`, in bytes, which is −1 at the end; `line` lines are before it. Absent for most
 * places: `taken`, the last line that was taken if a pass ended a batch early, and `most`, the events of the next batch.
 */
export type ReadPlace = readonly [offset: number, line: number, taken?: number, most?: number]
