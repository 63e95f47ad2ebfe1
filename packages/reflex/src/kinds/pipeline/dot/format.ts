import type { FormattedText } from '../../../text/index.ts'
import { printItems } from './format-print.ts'
import { readItems } from './format-read.ts'
import { formatTokens } from './format-tokens.ts'
import { parseDot } from './parse.ts'

/**
 * Formats a pipeline: two spaces for each level, one statement on each line, commas between attributes, and one attribute on each line in a
 * block that is longer than a line or begins with a new line. Comments, the order of statements, single blank lines, names and values stay.
 * Formatted text stays unchanged, and the graph stays the same. A text with errors is returned as its errors. Never throws.
 */
export function formatDot(text: string, file?: string): FormattedText {
  const { errors } = parseDot(text, { accumulateErrors: true, ...(file === undefined ? {} : { file }) })
  if (errors.length > 0) return { findings: errors }
  const end = /\r\n?|\n/.exec(text)?.[0] ?? '\n'
  return { text: printItems(readItems(formatTokens(text)), end), findings: [] }
}
