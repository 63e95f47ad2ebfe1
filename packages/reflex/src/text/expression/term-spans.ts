import type { TextSpan } from '../place.ts'
import type { Token } from './tokens.ts'

const CLOSER: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** Finds the span of text of each term. The parser gives only one offset for a term. A span includes the brackets around its operands. */
export class TermSpans {
  readonly #tokens: readonly Token[]
  /** The index of each token by its start; `#byEnd`: by its end. */
  readonly #byStart = new Map<number, number>()
  readonly #byEnd = new Map<number, number>()
  /** The index of the matching bracket for each bracket. */
  readonly #partner = new Map<number, number>()

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
    const open: number[] = []
    for (const [index, token] of tokens.entries()) {
      this.#byStart.set(token.start, index)
      if (token.kind !== 'end') this.#byEnd.set(token.end, index)
      if (token.kind !== 'sign') continue
      if (Object.hasOwn(CLOSER, token.text)) open.push(index)
      else if ([')', ']', '}'].includes(token.text)) {
        const opener = open.pop()
        if (opener === undefined) continue
        this.#partner.set(opener, index)
        this.#partner.set(index, opener)
      }
    }
  }

  /** Returns the word at an offset, with the point before it if there is one. */
  wordAt(at: number): TextSpan {
    const index = this.#tokenAt(at)
    const last = this.#tokens[index]?.text === '.' ? index + 1 : index
    return this.#span(index, last)
  }

  /** Returns the literal at an offset, with the signs before it. */
  literalAt(at: number): TextSpan {
    const index = this.#tokenAt(at)
    let last = index
    while (this.#tokens[last]?.text === '-') last++
    return this.#span(index, last)
  }

  /** Returns the list or map that opens at or after an offset. */
  bracketAt(at: number): TextSpan {
    let index = this.#tokenAt(at)
    while (index < this.#tokens.length - 1 && !this.#isOpener(index)) index++
    return this.#span(index, this.#partner.get(index) ?? index)
  }

  /** Returns a call from its name at an offset to its closing bracket. */
  callAt(at: number): TextSpan {
    return this.#span(this.#tokenAt(at), this.#closing(this.#tokenAt(at)))
  }

  /** Returns a field access from its operand to the field name. `point` is the offset of the point. */
  fieldAfter(operand: TextSpan, point: number): TextSpan {
    return this.#upTo(operand, this.#tokenAt(point) + 1)
  }

  /** Returns a method call from its operand to the closing bracket. `point` is the offset of the point. */
  afterCall(operand: TextSpan, point: number): TextSpan {
    return this.#upTo(operand, this.#closing(this.#tokenAt(point)))
  }

  /** Returns an element access from its operand to the closing bracket. `bracket` is the offset of the opening bracket. */
  afterBracket(operand: TextSpan, bracket: number): TextSpan {
    const index = this.#tokenAt(bracket)
    return this.#upTo(operand, this.#partner.get(index) ?? index)
  }

  /** Returns the span from a sign at an offset to the end of its operands. */
  fromSign(at: number, operands: readonly TextSpan[]): TextSpan {
    const { offset, length } = this.spanning(operands)
    return { offset: at, length: offset + length - at }
  }

  /** Returns the span from the first operand to the last, with the brackets around them. */
  spanning(operands: readonly TextSpan[]): TextSpan {
    const wide = operands.map((operand) => this.#widen(operand))
    const start = Math.min(...wide.map(({ offset }) => offset))
    return { offset: start, length: Math.max(...wide.map(({ offset, length }) => offset + length)) - start }
  }

  /** Returns the start of the token after the token at an offset. */
  nextStart(at: number): number {
    return this.#tokens[this.#tokenAt(at) + 1]?.start ?? at
  }

  #upTo(operand: TextSpan, last: number): TextSpan {
    const { offset } = this.#widen(operand)
    return { offset, length: (this.#tokens[last]?.end ?? offset) - offset }
  }

  /** Adds the brackets around an operand, except the brackets of a call. */
  #widen(operand: TextSpan): TextSpan {
    let first = this.#byStart.get(operand.offset)
    let last = this.#byEnd.get(operand.offset + operand.length)
    if (first === undefined || last === undefined) return operand
    while (first > 0 && this.#tokens[first - 1]?.text === '(' && this.#partner.get(first - 1) === last + 1 && !this.#isCall(first - 1)) {
      first--
      last++
    }
    return this.#span(first, last)
  }

  #isCall(bracket: number): boolean {
    const before = this.#tokens[bracket - 1]
    return before?.kind === 'name' && before.text !== 'in'
  }

  #isOpener(index: number): boolean {
    return this.#tokens[index]?.kind === 'sign' && Object.hasOwn(CLOSER, this.#tokens[index]?.text ?? '')
  }

  /** Returns the closing bracket of the first bracket that opens at or after a token. */
  #closing(index: number): number {
    let opener = index
    while (opener < this.#tokens.length - 1 && !this.#isOpener(opener)) opener++
    return this.#partner.get(opener) ?? index
  }

  #tokenAt(offset: number): number {
    return this.#byStart.get(offset) ?? 0
  }

  #span(first: number, last: number): TextSpan {
    const offset = this.#tokens[first]?.start ?? 0
    return { offset, length: (this.#tokens[last]?.end ?? offset) - offset }
  }
}
