import type { Frame } from '../state/frame.ts'
import type { Input } from '../journal/record.ts'

/** An input from outside that has no record yet. */
export interface Arrival {
  /** Returns the input when it is taken; undefined if it has become void. */
  resolve(): readonly [Frame, Input] | undefined
  /** Called when it is held, to be released later. Returns the arrival that is held in its place, if it is another. */
  hold?(): Arrival | undefined
  /** Called with the number of the record that took it, and the recorded input, which may be shorter than the resolved one. */
  onTaken?(record: number, input: Input | undefined): void
  /** Called when its step left no record. */
  onSkipped?(): void
  onRefused?(): void
}
