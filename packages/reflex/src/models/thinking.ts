const [OPEN, CLOSE] = ['<think>', '</think>']
/** Characters before the first mark that are held back: an answer of spaces alone is shown. */
const MOST_HELD = 200

/** Separates the thoughts from an answer: models that think in their answer do so at its beginning, between marks of their own. */
export function withoutThinking(text: string): { readonly text: string; readonly thought: string } {
  const [block, thought] = /^\s*<think>([^]*?)<\/think>\s*/.exec(text) ?? []
  return block === undefined || thought === undefined ? { text, thought: '' } : { text: text.slice(block.length), thought: thought.trim() }
}

/** A piece of progress: of the answer, or of the thoughts before it. */
export type Piece = { readonly text: string } | { readonly reasoning: string }

/** Separates the thoughts from an answer that comes in pieces. A piece that may be the beginning of a mark is held back until it is decided. */
export class ThinkingStream {
  #state: 'begins' | 'thinks' | 'thought' | 'says' = 'begins'
  #held = ''

  /** Returns what is known of the text so far and was not returned before. */
  take(piece: string): readonly Piece[] {
    if (this.#state === 'says') return [{ text: piece }]
    this.#held += piece
    const pieces = [...this.#begin(), ...this.#think(), ...this.#answer()]
    return pieces.filter((one) => Object.values(one).some((said) => said !== ''))
  }

  /** Returns what is held back at the end of the answer. */
  end(): readonly Piece[] {
    const held = this.#held
    this.#held = ''
    if (held === '') return []
    return [this.#state === 'thinks' ? { reasoning: held } : { text: held }]
  }

  #begin(): readonly Piece[] {
    if (this.#state !== 'begins') return []
    const start = this.#held.trimStart()
    if (start.startsWith(OPEN)) {
      this.#state = 'thinks'
      this.#held = start.slice(OPEN.length)
    } else if (!OPEN.startsWith(start) || this.#held.length > MOST_HELD) return this.#say(this.#held)
    return []
  }

  #think(): readonly Piece[] {
    if (this.#state !== 'thinks') return []
    const at = this.#held.indexOf(CLOSE)
    if (at >= 0) {
      this.#state = 'thought'
      const reasoning = this.#held.slice(0, at)
      this.#held = this.#held.slice(at + CLOSE.length)
      return [{ reasoning }]
    }
    // The end of what came may be the beginning of the closing mark.
    let keep = Math.min(CLOSE.length - 1, this.#held.length)
    while (!CLOSE.startsWith(this.#held.slice(this.#held.length - keep))) keep--
    const reasoning = this.#held.slice(0, this.#held.length - keep)
    this.#held = this.#held.slice(this.#held.length - keep)
    return [{ reasoning }]
  }

  /** Space between the thoughts and the answer belongs to neither. */
  #answer(): readonly Piece[] {
    if (this.#state !== 'thought') return []
    this.#held = this.#held.trimStart()
    return this.#held === '' ? [] : this.#say(this.#held)
  }

  #say(text: string): readonly Piece[] {
    this.#state = 'says'
    this.#held = ''
    return [{ text }]
  }
}
