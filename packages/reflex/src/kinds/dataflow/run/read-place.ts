/**
 * How far a source has been taken. Reading goes on at `offset`, in bytes, which is −1 at the end; `line` lines are before it. Absent for most
 * places: `taken`, the last line that was taken if a pass ended a batch early, and `most`, the events of the next batch.
 */
export type ReadPlace = readonly [offset: number, line: number, taken?: number, most?: number]

/** Returns how far a source has been taken; undefined for one that nothing was taken of. Any text can be the name of a source. */
export function placeOfSource(read: Readonly<Record<string, ReadPlace>>, name: string): ReadPlace | undefined {
  return Object.hasOwn(read, name) ? read[name] : undefined
}

/** Returns the last line that was taken. */
export function lineIn([, line, taken = line]: ReadPlace): number {
  return taken
}
