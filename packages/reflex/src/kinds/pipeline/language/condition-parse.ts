import type { Clause, Condition, Operator } from './condition.ts'
import type { Span } from '../dot/graph.ts'
import { MOST_PROBLEMS, type Problem } from './problem.ts'
import { checkArguments, TEXT } from '../../../text/index.ts'

/** What reading a condition gives. */
export interface ParsedCondition {
  /** Absent if the text is blank: the edge has no condition. Unreadable, and never true, if something is wrong. */
  readonly condition?: Condition | undefined
  /** In the order of the text; `condition_operator` is worth knowing and harms nothing. */
  readonly problems: readonly Problem[]
}

const KNOWN = 'conditions know = != &&'
const OPERATOR = /!=|>=|<=|==|[=<>]/y
/** A part may end in `?`: runners in Elixir name what is true or false so, and real files read it. */
const KEY = /[\p{L}\p{N}_-]+\??(?:\.[\p{L}\p{N}_-]+\??)*/uy
const BLANK = /\s*/y
/** A word or sign that joins in other languages, with what looks like another clause behind it. */
const JOINED = /\s(or|and|xor|not|&|\|)\s+!?[^\s"=<>!&|]+\s*(?:!=|[=<>])/iy
/** What other languages join or compare with, at the place where an operator or the end is expected. */
const WORD = /[()]|[^\s"=<>!&|()]+|\|\|?|&|!/y

/**
 * Reads a condition, never throwing: `clause (&& clause)*` with `key op literal`, quotes protecting what is in them
 * (reference pipeline 8.4). Takes time in proportion to the text.
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
    if (next === '"') this.#report('the left side is a key, not text in quotes', from, from + 1, 'write the key without quotes')
    else if (next === '.') this.#report('a key has no empty part', this.#at, this.#at + 1, 'write it as context.name')
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
      return this.#report(`nothing stands behind ${operator}`, operatorFrom, operatorFrom + operator.length, 'write "" for nothing')
    if (/^[=<>!]/.test(literal)) return this.#report(KNOWN, operatorFrom, from + 1, 'put quotes around the text')
    if (/^'.*'$/s.test(literal)) return this.#report('text stands in double quotes', from, to, `write "${literal.slice(1, -1)}"`)
    return { literal, from, to }
  }

  /** To the closing quote of one that stands inside a literal; whether there is one. */
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

  /** A word or sign where an operator, && or the end should be. */
  #reportUnsupported(fix?: string): undefined {
    const from = this.#at
    const word = this.#match(WORD) ?? this.#text.charAt(this.#at)
    return this.#reportForeign(word, from, fix)
  }

  #reportForeign(word: string, from: number, fix = 'put quotes around the text'): undefined {
    return this.#report(KNOWN, from, from + Math.max(1, word.length), FIXES.get(word.toLowerCase()) ?? fix)
  }

  /** Said once a condition. */
  #noteOrdering(operator: Operator, from: number): void {
    if (this.problems.some(({ rule }) => rule === 'condition_operator')) return
    const message = `${operator} is not known to other runners of this format`
    this.problems.push({ rule: 'condition_operator', message, from, to: from + operator.length })
  }

  #report(message: string, from: number, to: number, fix: string): undefined {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push({ rule: 'condition_syntax', message, from, to, fix })
  }

  /** One problem a clause: what follows it up to the next && outside quotes is not looked at. */
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
