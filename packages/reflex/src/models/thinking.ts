const [OPEN, CLOSE] = ['<think>', '</think>']
/** Characters before the first mark that are held back: an answer of spaces alone is shown. */
const MOST_BUFFERED = 200

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
  #buffer = ''

  /** Returns what is known of the text so far and was not returned before. */
  take(piece: string): readonly Piece[] {
    if (this.#state === 'says') return [{ text: piece }]
    this.#buffer += piece
    const pieces = [...this.#begin(), ...this.#think(), ...this.#answer()]
    return pieces.filter((one) => Object.values(one).some((content) => content !== ''))
  }

  /** Returns what is held back at the end of the answer. */
  end(): readonly Piece[] {
    const buffered = this.#buffer
    this.#buffer = ''
    if (buffered === '') return []
    return [this.#state === 'thinks' ? { reasoning: buffered } : { text: buffered }]
  }

  #begin(): readonly Piece[] {
    if (this.#state !== 'begins') return []
    const start = this.#buffer.trimStart()
    if (start.startsWith(OPEN)) {
      this.#state = 'thinks'
      this.#buffer = start.slice(OPEN.length)
    } else if (!OPEN.startsWith(start) || this.#buffer.length > MOST_BUFFERED) return this.#emitAnswer(this.#buffer)
    return []
  }

  #think(): readonly Piece[] {
    if (this.#state !== 'thinks') return []
    const at = this.#buffer.indexOf(CLOSE)
    if (at >= 0) {
      this.#state = 'thought'
      const reasoning = this.#buffer.slice(0, at)
      this.#buffer = this.#buffer.slice(at + CLOSE.length)
      return [{ reasoning }]
    }
    // The end of what came may be the beginning of the closing mark.
    let keep = Math.min(CLOSE.length - 1, this.#buffer.length)
    while (!CLOSE.startsWith(this.#buffer.slice(this.#buffer.length - keep))) keep--
    const reasoning = this.#buffer.slice(0, this.#buffer.length - keep)
    this.#buffer = this.#buffer.slice(this.#buffer.length - keep)
    return [{ reasoning }]
  }

  /** Space between the thoughts and the answer belongs to neither. */
  #answer(): readonly Piece[] {
    if (this.#state !== 'thought') return []
    this.#buffer = this.#buffer.trimStart()
    return this.#buffer === '' ? [] : this.#emitAnswer(this.#buffer)
  }

  #emitAnswer(text: string): readonly Piece[] {
    this.#state = 'says'
    this.#buffer = ''
    return [{ text }]
  }
}
