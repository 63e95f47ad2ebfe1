import { createScanner } from 'jsonc-parser'
import type { Fault } from '../kernel/index.ts'
import { readJson } from './json.ts'

/** The formatted text, or the errors that prevent formatting. */
export interface FormattedText {
  /** Absent if the text has errors; such a text is not formatted. */
  readonly text?: string
  readonly findings: readonly Fault[]
}

/** Kinds of token of jsonc-parser. Its own names are a const enum, which type stripping cannot import. */
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA, COLON, LINE_COMMENT, BLOCK_COMMENT, LINE_BREAK, BLANK, END] = [
  1, 2, 3, 4, 5, 6, 12, 13, 14, 15, 17,
]
/** The width of a line in characters; lines that the author broke can be longer. */
const WIDTH = 140
const INDENT = '  '

interface Token {
  readonly kind: number
  readonly text: string
  /** The number of line breaks between the previous token and this one. */
  readonly breaks: number
}

/**
 * Formats JSON with comments: two spaces for each level, one space in place of several, the author's line breaks, and at most one empty
 * line in a row. If a list or an object is longer than one line and the author did not break it, each of its parts gets its own line.
 * Comments, keys, values and their order stay. Formatted text stays unchanged. Text that cannot be read is returned as errors. Never
 * throws.
 */
export function formatJson(text: string, file?: string): FormattedText {
  const read = readJson(text, file)
  const findings = read.findings.filter(({ severity }) => severity === 'error')
  if (findings.length > 0) return { findings }
  const end = /\r\n?|\n/.exec(text)?.[0] ?? '\n'
  return { text: print(tokensOf(read.source.text), end), findings }
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  const scanner = createScanner(text, false)
  let breaks = 0
  for (let kind: number = scanner.scan(); kind !== END; kind = scanner.scan()) {
    if (kind === LINE_BREAK) breaks++
    if (kind === LINE_BREAK || kind === BLANK) continue
    const value = scanner.getTokenOffset()
    const token = text.slice(value, value + scanner.getTokenLength())
    tokens.push({ kind, text: kind === LINE_COMMENT ? token.trimEnd() : token, breaks })
    breaks = 0
  }
  return tokens
}

function print(tokens: readonly Token[], end: string): string {
  const widths = widthsOf(tokens)
  let line = ''
  let text = ''
  /** For each open bracket: `apart` is true if its content begins on its own line; `split` is true if each part is on its own line. */
  const open: { readonly apart: boolean; readonly split: boolean }[] = []
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1]
    const around = isClosing(token) ? open.pop() : open.at(-1)
    const least = around !== undefined && startsLine(token, before, around) ? 1 : 0
    const parts = gap(before, token, Math.max(least, token.breaks), INDENT.repeat(open.length), end)
    if (parts.includes(end)) line = ''
    text += parts + token.text
    line += (parts.includes(end) ? INDENT.repeat(open.length) : parts) + token.text
    if (!isOpening(token)) continue
    const apart = (tokens[index + 1]?.breaks ?? 0) > 0
    const split = !apart && line.length - 1 + (widths[index] ?? 0) > WIDTH
    open.push({ apart: apart || split, split })
  }
  return `${text}${end}`
}

/** True if a token must be the first on its line because the brackets around it are broken over lines. */
function startsLine(token: Token, before: Token | undefined, around: { readonly apart: boolean; readonly split: boolean }): boolean {
  if (isClosing(token)) return around.apart && !isOpening(before)
  const isComment = token.kind === LINE_COMMENT || token.kind === BLOCK_COMMENT
  return around.split && !(isComment && token.breaks === 0) && (isOpening(before) || before?.kind === COMMA)
}

/** Returns for each opening bracket the number of characters of the whole bracket on one line. */
function widthsOf(tokens: readonly Token[]): number[] {
  const widths: number[] = []
  const open: number[] = []
  let width = 0
  for (const [index, token] of tokens.entries()) {
    width += gap(tokens[index - 1], token, 0, '', '').length
    if (isOpening(token)) {
      open.push(index)
      widths[index] = -width
    }
    width += token.text.length
    const opener = isClosing(token) ? open.pop() : undefined
    if (opener !== undefined) widths[opener] = (widths[opener] ?? 0) + width
  }
  return widths
}

/** Returns the space between two tokens. `breaks` is the number of line breaks between them in the source. */
function gap(before: Token | undefined, token: Token, breaks: number, indent: string, end: string): string {
  if (before === undefined) return ''
  if (before.kind === LINE_COMMENT) return (breaks > 1 && !isClosing(token) ? end : '') + end + indent
  if (token.kind === COMMA || token.kind === COLON || (isOpening(before) && isClosing(token))) return ''
  if (breaks > 0 && before.kind !== COLON) return (breaks > 1 && !isOpening(before) && !isClosing(token) ? end : '') + end + indent
  return before.kind === OPEN_BRACKET || token.kind === CLOSE_BRACKET ? '' : ' '
}

function isOpening(token: Token | undefined): boolean {
  return token?.kind === OPEN_BRACE || token?.kind === OPEN_BRACKET
}

function isClosing({ kind }: Token): boolean {
  return kind === CLOSE_BRACE || kind === CLOSE_BRACKET
}
