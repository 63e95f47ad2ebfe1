import type { FaultDetails } from '../kernel/journal/fault.ts'
import { codeFrame } from './code-frame.ts'
import { Lines, type Place } from './place.ts'

/** A text with its name, to say of a fault where it is. */
export class Source {
  readonly text: string
  readonly file: string | undefined
  readonly lines: Lines

  /** A byte order mark at the start is left out: column 1 is the character after it. */
  constructor(text: string, file?: string) {
    this.text = text.startsWith('\ufeff') ? text.slice(1) : text
    this.file = file
    this.lines = new Lines(this.text)
  }

  /** Line and column of a stretch. */
  place(offset: number, length: number): Place {
    return this.lines.place(offset, length)
  }

  /** What a fault says of a stretch: file, line, column, how many characters, and a code frame with the note. */
  details(offset: number, length: number, note?: string): FaultDetails {
    const { line, column } = this.lines.positionAt(offset)
    const end = Math.min(offset + length, this.lines.range(line)[1])
    const characters = Math.max(1, this.lines.positionAt(end).column - column)
    const frame = codeFrame(this.lines, offset, length, { note })
    return { ...(this.file === undefined ? {} : { file: this.file }), line, column, length: characters, frame }
  }
}
