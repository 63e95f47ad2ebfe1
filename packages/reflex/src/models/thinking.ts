const [OPEN, CLOSE] = ['<think>', '</think>']
/** The most characters that are held back before the first tag, so that an answer of white space is still shown. */
const MOST_BUFFERED = 200

/** Separates thoughts from an answer: models that think in their answer do so at its start, between `<think>` tags. */
export function withoutThinking(text: string): { readonly text: string; readonly thought: string } {
  const [block, thought] = /^\s*<think>([^]*?)<\/think>\s*/.exec(text) ?? []
  return block === undefined || thought === undefined ? { text, thought: '' } : { text: text.slice(block.length), thought: thought.trim() }
}

/** A piece of progress: of the answer, or of the thoughts before it. */
export type Piece = { readonly text: string } | { readonly reasoning: string }

/**
 * Separates thoughts from an answer that arrives in pieces. A piece that may be the start of a tag is held back until
 * this is clear.
 */
export class ThinkingStream {
  #state: 'begins' | 'thinks' | 'thought' | 'says' = 'begins'
  #buffer = ''

  /** Takes a piece. Returns the text that is now certain and was not returned before. */
  take(piece: string): readonly Piece[] {
    if (this.#state === 'says') return [{ text: piece }]
    this.#buffer += piece
    const pieces = [...this.#begin(), ...this.#think(), ...this.#answer()]
    return pieces.filter((one) => Object.values(one).some((content) => content !== ''))
  }

  /** Returns the held-back text at the end of the answer. */
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
    // The end of the buffer may be the start of the closing tag.
    let keep = Math.min(CLOSE.length - 1, this.#buffer.length)
    while (!CLOSE.startsWith(this.#buffer.slice(this.#buffer.length - keep))) keep--
    const reasoning = this.#buffer.slice(0, this.#buffer.length - keep)
    this.#buffer = this.#buffer.slice(this.#buffer.length - keep)
    return [{ reasoning }]
  }

  /** Returns the answer after the thoughts; white space between them belongs to neither. */
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
