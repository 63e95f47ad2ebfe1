import type { Fault } from '../../../../kernel/index.ts'
import { quote } from '../../../../text/index.ts'
import { LONGEST_SOURCE, type Expression } from './forms.ts'
import { literalValue } from './literals.ts'
import { faultOf, Mistake, Outside, type TextPlace } from './mistake.ts'
import { isCall, isVariable, Parser } from './parser.ts'
import { tokensOf, type Token } from './tokens.ts'

/**
 * A parsed expression; the reason why a text is outside the subset, in words that continue "the condition …"; or the fault R1241 (E5001) of
 * a text that is certainly not Lua.
 */
export type Parsed = { readonly expression: Expression } | { readonly outside: string } | { readonly fault: Fault }

/**
 * Parses a condition: an expression of Lua 5.4, with `return` before it or without. A text that cannot be read as an expression of the subset
 * and may be Lua, such as statements or a call of another function, is outside: an engine must read it. Never throws; the work is linear in
 * the length of the text, and its nesting is bounded.
 */
export function parseExpression(text: string, place: TextPlace = {}): Parsed {
  if (text.length > LONGEST_SOURCE) return { outside: `is longer than ${LONGEST_SOURCE} characters` }
  const source = text.toWellFormed()
  try {
    return { expression: parseTokens(tokensOf(source)) }
  } catch (error) {
    if (error instanceof Outside) return { outside: error.message }
    if (error instanceof Mistake) return { fault: faultOf(error, source, place) }
    throw error
  }
}

/** The words that begin a statement. */
const STATEMENTS = new Set(['break', 'do', 'for', 'function', 'goto', 'if', 'local', 'repeat', 'while', '::', ';'])

function parseTokens(tokens: readonly Token[]): Expression {
  const [first] = tokens
  if (first !== undefined && first.type !== 'string' && STATEMENTS.has(first.text)) throw new Outside(`has a statement: ${first.text}`)
  const returns = first?.type === 'keyword' && first.text === 'return'
  const parser = new Parser(tokens, returns ? 1 : 0)
  if (returns && (parser.isAtEnd() || parser.isAt(';'))) throw new Outside('returns no value')
  const expression = parser.parseExpression()
  checkEnd(parser, expression, returns, first)
  return expression
}

/** Checks what stands behind an expression: the end, or the rest of a statement. */
function checkEnd(parser: Parser, expression: Expression, returns: boolean, first: Token | undefined): void {
  if (parser.isAt(',')) throw new Outside('has several values')
  const isField = isVariable(expression) || (first?.type === 'name' && literalValue(expression).literal)
  if (parser.isAt('=') && !returns && isField) throw new Outside('is an assignment; == compares')
  parser.skip(';')
  if (parser.isAtEnd()) return
  if (!returns && isCall(expression)) throw new Outside('has several statements')
  const { start, end, text } = parser.token
  const fix = text === '=' ? 'write == to compare' : 'put an operator before it, or remove it'
  throw new Mistake(start, end, `${quote(text)} cannot follow this value`, fix)
}
