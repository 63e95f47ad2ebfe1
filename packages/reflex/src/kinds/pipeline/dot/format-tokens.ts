import { bareEnd, isSpace, keyEnd, lineEnd, stringEnd } from './scan.ts'

/** A token of the formatter: a word with its quotes, a mark, or a comment without its line end. */
export interface FormatToken {
  readonly kind: 'word' | 'mark' | 'comment'
  readonly text: string
  /** The number of line breaks between the previous token and this one. */
  readonly breaks: number
}

const MARKS = '{}[];,='
const LINE_END = /\r\n?|\n/g
const LINE_START = /[\r\n][ \t]*$/
const TEXT_START = /^[ \t]*$/

/** Returns the tokens of a text without errors. Never throws; an unknown character becomes a word, so that nothing is lost. */
export function formatTokens(text: string): FormatToken[] {
  const tokens: FormatToken[] = []
  const start = text.startsWith('\ufeff') ? 1 : 0
  let before = start
  let isValue = false
  for (;;) {
    let from = before
    while (isSpace(text.charCodeAt(from))) from++
    if (from >= text.length) return tokens
    const blank = text.slice(before, from)
    const [kind, to] = tokenAt(text, from, isValue, LINE_START.test(blank) || (before === start && TEXT_START.test(blank)))
    const token = text.slice(from, to)
    tokens.push({ kind, text: kind === 'comment' ? token.trimEnd() : token, breaks: blank.match(LINE_END)?.length ?? 0 })
    if (kind !== 'comment') isValue = kind === 'mark' && token === '='
    before = to
  }
}

/** Returns the kind and the end of the token at an offset. Behind `=`, everything except a comment and a quoted text is a bare value. */
function tokenAt(text: string, from: number, isValue: boolean, isFirst: boolean): readonly [FormatToken['kind'], to: number] {
  const comment = commentEnd(text, from, isFirst)
  if (comment > from) return ['comment', comment]
  if (text[from] === '"') return ['word', endOr(stringEnd(text, from), text.length)]
  if (isValue) return ['word', Math.max(from + 1, bareEnd(text, from))]
  if (text.startsWith('->', from)) return ['mark', from + 2]
  if (MARKS.includes(text.charAt(from))) return ['mark', from + 1]
  return ['word', Math.max(from + 1, keyEnd(text, from))]
}

function commentEnd(text: string, from: number, isFirst: boolean): number {
  if (text.startsWith('//', from)) return lineEnd(text, from)
  if (text.startsWith('/*', from)) return endOr(text.indexOf('*/', from + 2) + 2, text.length)
  return text[from] === '#' && isFirst ? lineEnd(text, from) : from
}

/** Returns the end, or the end of the text if there is none. A text without errors has an end for everything. */
function endOr(end: number, otherwise: number): number {
  return end > 1 ? end : otherwise
}
