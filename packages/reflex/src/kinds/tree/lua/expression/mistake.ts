import { type Fault } from '../../../../kernel/index.ts'
import { Source } from '../../../../text/index.ts'
import { faults } from '../../model/faults.ts'

/** The place of a text in a file: the line of its first character, from 1. */
export interface TextPlace {
  readonly file?: string | undefined
  readonly line?: number | undefined
}

/** A text that is not Lua. It is thrown while a text is parsed, and becomes a fault. */
export class Mistake extends Error {
  readonly start: number
  readonly end: number
  readonly fix: string

  constructor(start: number, end: number, message: string, fix: string) {
    super(message)
    this.start = start
    this.end = end
    this.fix = fix
  }
}

/** A text that may be Lua and is outside the subset, for the reason in the message. It is thrown while a text is parsed. */
export class Outside extends Error {}

/**
 * Returns the fault R1241 (E5001) of a mistake. A text whose line is known stands inside a file at an unknown column: the fault has a column
 * only without the line, and the frame marks the place in the text.
 */
export function faultOf(mistake: Mistake, text: string, { file, line }: TextPlace): Fault {
  const before = '\n'.repeat(Math.max(0, (line ?? 1) - 1))
  const source = new Source(before + text, file)
  const { column, length, ...details } = source.details(before.length + mistake.start, mistake.end - mistake.start)
  const place = line === undefined ? { column, length } : {}
  return faults.finding('R1241', `the condition is not Lua: ${mistake.message}`, { rule: 'E5001', ...details, ...place, fix: mistake.fix })
}
