import type { Clause, Condition, Operator } from './condition.ts'
import type { Span } from '../dot/graph.ts'
import { MOST_PROBLEMS, type Problem } from './problem.ts'
import { checkArguments, TEXT } from '../../../text/index.ts'

/** The result of parsing a condition. */
export interface ParsedCondition {
  /** Absent if the text is blank: the edge has no condition. Unreadable, and never true, if the syntax is wrong. */
  readonly condition?: Condition | undefined
  /** In the order of the text. A `condition_operator` is only information. */
  readonly problems: readonly Problem[]
}

const KNOWN = 'conditions have only the operators = != &&'
const OPERATOR = /!=|>=|<=|==|[=<>]/y
/** A part may end in `?`: runners in Elixir name booleans like this, and existing files use it. */
const KEY = /[\p{L}\p{N}_-]+\??(?:\.[\p{L}\p{N}_-]+\??)*/uy
const BLANK = /\s*/y
/** A conjunction of other languages, followed by text that looks like another clause. */
const JOINED = /\s(or|and|xor|not|&|\|)\s+!?[^\s"=<>!&|]+\s*(?:!=|[=<>])/iy
/** Words and signs of other languages, at a place where an operator or the end is expected. */
const WORD = /[()]|[^\s"=<>!&|()]+|\|\|?|&|!/y

/**
 * Parses a condition and never throws: `clause (&& clause)*` with `key op literal`; quotes protect their content (reference
 * pipeline 8.4). Runs in time linear in the text.
 */
export function parseCondition(text: string): ParsedCondition {
  checkArguments('parseCondition', { text: [text, TEXT] })
  const reader = new ConditionReader(text)
  const clauses = reader.read()
  const { problems } = reader
  if (problems.some(({ rule }) => rule === 'condition_syntax')) {
    return { condition: Object.freeze({ text, clauses: Object.freeze([]), unreadable: true as const }), problems }
  }
  return clauses.length === 0 ? { problems } : { condition: Object.freeze({ text, clauses: Object.freeze(clauses) }), problems }
}

interface Literal extends Span {
  readonly literal: string
}

class ConditionReader {
  readonly problems: Problem[] = []
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): Clause[] {
    const clauses: Clause[] = []
    while (this.#at < this.#text.length) {
      this.#match(BLANK)
      if (!this.#take('&&') && this.#at < this.#text.length) {
        const clause = this.#clause()
        if (clause === undefined) this.#skipClause()
        else clauses.push(clause)
      }
    }
    return clauses
  }

  #clause(): Clause | undefined {
    const from = this.#at
    const keyAt = this.#key()
    if (keyAt === undefined) return undefined
    const key = this.#text.slice(keyAt.from, keyAt.to)
    this.#match(BLANK)
    if (this.#isEnd()) return freezeClause({ key, keyAt, literal: '', from, to: keyAt.to })
    const operatorFrom = this.#at
    const written = this.#match(OPERATOR)
    if (written === undefined) return key === 'not' ? this.#reportForeign(key, from) : this.#reportUnsupported('write =')
    const operator = written === '==' ? '=' : (written as Operator)
    if (operator !== '=' && operator !== '!=') this.#noteOrdering(operator, operatorFrom)
    this.#match(BLANK)
    const literal = this.#text[this.#at] === '"' ? this.#quotedLiteral() : this.#bareLiteral(written, operatorFrom)
    if (literal === undefined) return undefined
    const literalAt = { from: literal.from, to: literal.to }
    return freezeClause({ key, keyAt, operator, literal: literal.literal, literalAt, from, to: literal.to })
  }

  #key(): Span | undefined {
    const from = this.#at
    const key = this.#match(KEY)
    const next = this.#text[this.#at]
    if (key !== undefined && next !== '.') return Object.freeze({ from, to: this.#at })
    if (next === '"') this.#report('the left side must be a key, not a quoted text', from, from + 1, 'write the key without quotes')
    else if (next === '.') this.#report('a key must not have an empty part', this.#at, this.#at + 1, 'write it as context.name')
    else if (this.#match(OPERATOR) !== undefined)
      this.#report('a key is missing before the operator', from, this.#at, 'write outcome or context.name before it')
    else return this.#reportUnsupported('write context.name')
    return undefined
  }

  #quotedLiteral(): Literal | undefined {
    const from = this.#at++
    let literal = ''
    for (let char = this.#text[this.#at]; char !== '"'; char = this.#text[this.#at]) {
      if (char === undefined) return this.#reportUnclosed(from)
      const escaped = char === '\\' ? ESCAPED[this.#text[this.#at + 1] ?? ''] : undefined
      literal += escaped ?? char
      this.#at += escaped === undefined ? 1 : 2
    }
    const to = ++this.#at
    this.#match(BLANK)
    return this.#isEnd() ? { literal, from, to } : this.#reportUnsupported('write &&')
  }

  #bareLiteral(operator: string, operatorFrom: number): Literal | undefined {
    const from = this.#at
    while (this.#at < this.#text.length && !this.#text.startsWith('&&', this.#at)) {
      if (this.#text.startsWith('||', this.#at)) return this.#reportUnsupported()
      if (this.#text[this.#at] === '"' && !this.#skipQuote()) return this.#reportUnclosed(this.#at)
      const joined = this.#peek(JOINED)
      if (joined !== undefined) return this.#reportForeign(joined, this.#at + 1)
      this.#at++
    }
    const literal = this.#text.slice(from, this.#at).trimEnd()
    const to = from + literal.length
    if (literal === '')
      return this.#report(
        `there is no value after ${operator}`,
        operatorFrom,
        operatorFrom + operator.length,
        'write "" for an empty value',
      )
    if (/^[=<>!]/.test(literal)) return this.#report(KNOWN, operatorFrom, from + 1, 'put quotes around the text')
    if (/^'.*'$/s.test(literal)) return this.#report('text must be in double quotes', from, to, `write "${literal.slice(1, -1)}"`)
    return { literal, from, to }
  }

  /** Skips to the closing quote of a quote inside a literal. Returns false if there is none. */
  #skipQuote(): boolean {
    const from = this.#at
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at]
      if (char === '"') return true
      if (char === '\\') this.#at++
    }
    this.#at = from
    return false
  }

  #reportUnclosed(from: number): undefined {
    return this.#report('the quote is never closed', from, from + 1, 'close it with "')
  }

  /** Reports a word or sign at a place where an operator, && or the end is expected. */
  #reportUnsupported(fix?: string): undefined {
    const from = this.#at
    const word = this.#match(WORD) ?? this.#text.charAt(this.#at)
    return this.#reportForeign(word, from, fix)
  }

  #reportForeign(word: string, from: number, fix = 'put quotes around the text'): undefined {
    return this.#report(KNOWN, from, from + Math.max(1, word.length), FIXES.get(word.toLowerCase()) ?? fix)
  }

  /** Reports the operator once per condition. */
  #noteOrdering(operator: Operator, from: number): void {
    if (this.problems.some(({ rule }) => rule === 'condition_operator')) return
    const message = `${operator} is unknown to other runners of this format`
    this.problems.push({ rule: 'condition_operator', message, from, to: from + operator.length })
  }

  #report(message: string, from: number, to: number, fix: string): undefined {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push({ rule: 'condition_syntax', message, from, to, fix })
  }

  /** Skips to the next && outside quotes: one problem per clause is enough. */
  #skipClause(): void {
    for (let quoted = false; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at]
      if (char === '\\' && quoted) this.#at++
      else if (char === '"') quoted = !quoted
      else if (!quoted && this.#text.startsWith('&&', this.#at)) return
    }
  }

  #isEnd(): boolean {
    return this.#at >= this.#text.length || this.#text.startsWith('&&', this.#at)
  }

  #take(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.#at)) return false
    this.#at += sign.length
    return true
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #peek(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#text)?.[1]
  }
}

const ESCAPED: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', n: '\n', t: '\t' }

const FIXES: ReadonlyMap<string, string> = new Map([
  ['or', 'two edges'],
  ['||', 'two edges'],
  ['|', 'two edges'],
  ['xor', 'two edges'],
  ['and', 'write &&'],
  ['&', 'write &&'],
  ['!', 'write !='],
  ['not', 'write !='],
  ['is', 'write ='],
  ['equals', 'write ='],
  ['contains', 'compute it in a transform node'],
  ['matches', 'compute it in a transform node'],
  ['in', 'an edge for each value'],
  ['(', 'leave the brackets out'],
  [')', 'leave the brackets out'],
])

function freezeClause(clause: Clause): Clause {
  if (clause.literalAt !== undefined) Object.freeze(clause.literalAt)
  return Object.freeze(clause)
}
