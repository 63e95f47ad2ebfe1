import type { TextSpan } from '../place.ts'
import type { Token } from './tokens.ts'

const CLOSER: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/**
 * Turns the single offset that the parser gives each part into the stretch of text that the part takes, brackets
 * around its operands included.
 */
export class TermSpans {
  readonly #tokens: readonly Token[]
  /** Index of each token by where it starts and by where it ends. */
  readonly #byStart = new Map<number, number>()
  readonly #byEnd = new Map<number, number>()
  /** For each bracket the index of its partner. */
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

  /** The word at an offset, with the point before it if there is one. */
  wordAt(at: number): TextSpan {
    const index = this.#tokenAt(at)
    const last = this.#tokens[index]?.text === '.' ? index + 1 : index
    return this.#span(index, last)
  }

  /** The literal at an offset, with the signs before it. */
  literalAt(at: number): TextSpan {
    const index = this.#tokenAt(at)
    let last = index
    while (this.#tokens[last]?.text === '-') last++
    return this.#span(index, last)
  }

  /** The list or map that opens at or after an offset. */
  bracketAt(at: number): TextSpan {
    let index = this.#tokenAt(at)
    while (index < this.#tokens.length - 1 && !this.#isOpener(index)) index++
    return this.#span(index, this.#partner.get(index) ?? index)
  }

  /** A call whose name stands at an offset, to its closing bracket. */
  callAt(at: number): TextSpan {
    return this.#span(this.#tokenAt(at), this.#closing(this.#tokenAt(at)))
  }

  /** A field of an operand, whose point stands at an offset. */
  fieldAfter(operand: TextSpan, point: number): TextSpan {
    return this.#upTo(operand, this.#tokenAt(point) + 1)
  }

  /** A call on an operand, whose point stands at an offset. */
  afterCall(operand: TextSpan, point: number): TextSpan {
    return this.#upTo(operand, this.#closing(this.#tokenAt(point)))
  }

  /** An element of an operand, whose bracket stands at an offset. */
  afterBracket(operand: TextSpan, bracket: number): TextSpan {
    const index = this.#tokenAt(bracket)
    return this.#upTo(operand, this.#partner.get(index) ?? index)
  }

  /** From a sign at an offset to the end of the operands behind it. */
  fromSign(at: number, operands: readonly TextSpan[]): TextSpan {
    const { offset, length } = this.spanning(operands)
    return { offset: at, length: offset + length - at }
  }

  /** From the first operand to the last, the brackets around them included. */
  spanning(operands: readonly TextSpan[]): TextSpan {
    const wide = operands.map((operand) => this.#widen(operand))
    const start = Math.min(...wide.map(({ offset }) => offset))
    return { offset: start, length: Math.max(...wide.map(({ offset, length }) => offset + length)) - start }
  }

  /** Where the token behind the one at an offset starts. */
  nextStart(at: number): number {
    return this.#tokens[this.#tokenAt(at) + 1]?.start ?? at
  }

  #upTo(operand: TextSpan, last: number): TextSpan {
    const { offset } = this.#widen(operand)
    return { offset, length: (this.#tokens[last]?.end ?? offset) - offset }
  }

  /** Takes in the brackets that stand around an operand and are not those of a call. */
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

  /** The closing bracket of the first one that opens at or after a token. */
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
