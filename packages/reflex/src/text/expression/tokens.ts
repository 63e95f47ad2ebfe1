/** The kind of a token. `end` is the last token and has no length. */
export type TokenKind = 'name' | 'number' | 'text' | 'sign' | 'unknown' | 'end'

/** A word, number, text or sign of an expression, with its place in UTF-16 units. */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly start: number
  readonly end: number
}

const SPACE = /(?:[\t\n\f\r ]|\/\/[^\n]*)+/y
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y
const NUMBER = /(?:0[xX][0-9a-fA-F]+|\d+\.\d+(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+)[uU]?/y
const TEXT =
  /[bB]?[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\r\n]*"|'[^'\r\n]*')|[bB]?(?:"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\[^\r\n]|[^"\\\r\n])*"|'(?:\\[^\r\n]|[^'\\\r\n])*')/y
const SIGN = /&&|\|\||[<>=!]=|[-+*/%<>!?:.,()[\]{}]/y

const KINDS: readonly (readonly [TokenKind, RegExp])[] = [
  ['text', TEXT],
  ['number', NUMBER],
  ['name', NAME],
  ['sign', SIGN],
]

/** Returns the tokens of an expression in order, without spaces and comments. A character that starts no token of CEL is `unknown`. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let at = skip(text, 0)
  while (at < text.length) {
    const token = tokenAt(text, at)
    tokens.push(token)
    at = skip(text, token.end)
  }
  tokens.push({ kind: 'end', text: '', start: text.length, end: text.length })
  return tokens
}

/** Returns the expression with blanks in place of comments. Every offset stays the same. */
export function withoutComments(text: string, tokens: readonly Token[]): string {
  let clean = ''
  for (const token of tokens) clean += text.slice(clean.length, token.start).replace(/[^\n]/g, ' ') + token.text
  return clean
}

function skip(text: string, at: number): number {
  SPACE.lastIndex = at
  return SPACE.test(text) ? SPACE.lastIndex : at
}

function tokenAt(text: string, start: number): Token {
  for (const [kind, pattern] of KINDS) {
    pattern.lastIndex = start
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) return { kind, text: found, start, end: start + found.length }
  }
  const found = String.fromCodePoint(text.codePointAt(start) ?? 0)
  return { kind: 'unknown', text: found, start, end: start + found.length }
}
