import type { FaultDetails } from '../kernel/index.ts'
import { codeFrame } from './code-frame.ts'
import { Lines, type Place } from './place.ts'

/** A text with its file name. It gives the places of faults. */
export class Source {
  readonly text: string
  readonly file: string | undefined
  readonly lines: Lines

  /** Drops a byte order mark at the start; column 1 is the character after it. */
  constructor(text: string, file?: string) {
    this.text = text.startsWith('\ufeff') ? text.slice(1) : text
    this.file = file
    this.lines = new Lines(this.text)
  }

  /** Returns the source itself if it is one already: its table of lines is built once. */
  static of(given: { readonly text: string; readonly file?: string | undefined }): Source {
    return given instanceof Source ? given : new Source(given.text, given.file)
  }

  /** Returns the line and column of a span. */
  place(offset: number, length: number): Place {
    return this.lines.place(offset, length)
  }

  /** Returns the details of a fault for a span: file, line, column, number of characters, and a code frame with the note. */
  details(offset: number, length: number, note?: string): FaultDetails {
    const { line, column } = this.lines.positionAt(offset)
    const end = Math.min(offset + length, this.lines.range(line)[1])
    const characters = Math.max(1, this.lines.positionAt(end).column - column)
    const frame = codeFrame(this.lines, offset, length, { note })
    return { ...(this.file === undefined ? {} : { file: this.file }), line, column, length: characters, frame }
  }
}
