import type { FormattedText } from '../../../text/index.ts'
import { printItems } from './format-print.ts'
import { readItems } from './format-read.ts'
import { formatTokens } from './format-tokens.ts'
import { parseDot } from './parse.ts'

/**
 * Writes a pipeline in its one form: two spaces for each level, a statement on each line, commas between attributes, and an
 * attribute on each line where a block is longer than a line or begins with a new one. Comments, the order of statements, single
 * blank lines, and names and values as they are written stay. What is formatted already comes back unchanged, and the
 * graph is the same. A text with errors comes back as its errors. Never throws.
 */
export function formatDot(text: string, file?: string): FormattedText {
  const { errors } = parseDot(text, { accumulateErrors: true, ...(file === undefined ? {} : { file }) })
  if (errors.length > 0) return { findings: errors }
  const end = /\r\n?|\n/.exec(text)?.[0] ?? '\n'
  return { text: printItems(readItems(formatTokens(text)), end), findings: [] }
}
