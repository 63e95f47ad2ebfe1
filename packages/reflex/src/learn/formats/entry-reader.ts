import type { Json } from '../../kernel/index.ts'
import type { Transcript } from './transcript.ts'

/** Reads a session that stands on several lines, one line after another: no line is kept. */
export interface EntryReader {
  /** The name of the session, if the lines so far have one. */
  readonly session?: string | undefined
  /** Takes the value of a line. */
  take(line: number, value: Json): void
  /** Returns the session, once all lines are taken. */
  end(): Transcript
}
