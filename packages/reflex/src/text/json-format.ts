import { createScanner } from 'jsonc-parser'
import type { Fault } from '../kernel/journal/fault.ts'
import { readJson } from './json.ts'

/** A text in the one form of its format, or why it has none. */
export interface FormattedText {
  /** Absent where the text has errors: it is left alone. */
  readonly text?: string
  readonly findings: readonly Fault[]
}

/** Kinds of token of jsonc-parser; its own names are a const enum, which type stripping cannot import. */
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA, COLON, LINE_COMMENT, BLOCK_COMMENT, LINE_BREAK, BLANK, END] = [
  1, 2, 3, 4, 5, 6, 12, 13, 14, 15, 17,
]
/** Characters of a line; what the author has broken may be longer. */
const WIDTH = 140
const INDENT = '  '

interface Token {
  readonly kind: number
  readonly text: string
  /** How many lines end between the token before and this one. */
  readonly breaks: number
}

/**
 * Writes JSON with comments in one form: two spaces for each level, one space where there are several, lines broken where the
 * author broke them, at most one empty line, and each part on a line of its own where a list or an object has none for its
 * first and is longer than one. Comments, keys, values and their order stay. What is formatted already comes back
 * unchanged. What cannot be read comes back as its errors. Never throws.
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
  /** For each open bracket: whether its content begins on a line of its own, and whether each of its parts does. */
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

/** Whether a token stands first on its line for the sake of the brackets around it. */
function startsLine(token: Token, before: Token | undefined, around: { readonly apart: boolean; readonly split: boolean }): boolean {
  if (isClosing(token)) return around.apart && !isOpening(before)
  const isComment = token.kind === LINE_COMMENT || token.kind === BLOCK_COMMENT
  return around.split && !(isComment && token.breaks === 0) && (isOpening(before) || before?.kind === COMMA)
}

/** For each opening bracket, how many characters it takes on one line with all that is in it. */
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

/** What stands between two tokens of which so many lines end between them. */
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
