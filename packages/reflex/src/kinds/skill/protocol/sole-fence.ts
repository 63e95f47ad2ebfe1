import { readFence } from './fence.ts'
import { EXECUTABLE_TAGS, MAX_BODY_BYTES } from './tags.ts'

/** The most characters of a block, its fence and the white space around them. */
const MAX_HELD = 2 * MAX_BODY_BYTES
/**
 * Takes the fence off a reply that is one fenced block and nothing else. It holds the text back while the reply can be one, and passes it
 * on unchanged as soon as it cannot (reference skill 1.12, rule 7: `accept-sole`).
 */
export class SoleFence {
  #held = ''
  #passes = false
  /** True once the fence and the tag in it are there. */
  #isCandidate = false

  /** True while nothing was passed on. */
  get holds(): boolean {
    return !this.#passes
  }

  /** Takes a piece and returns what is certain not to be a sole fence. */
  push(piece: string): string {
    if (this.#passes) return piece
    this.#held += piece
    if (this.#canBeSole()) return ''
    return this.release()
  }

  /** Ends the wait, because something else than text follows, and returns the text that was held. */
  release(): string {
    this.#passes = true
    return this.#take()
  }

  /** Ends the reply: returns the content of the fence if it is the whole reply, else the text as it is. */
  end(): string {
    const text = this.#take()
    const fence = openingOf(text)
    if (fence === undefined || fence === 'partial') return text
    const content = text.slice(fence.length).trimEnd()
    const lines = content.split('\n')
    const isClosed = lines.findIndex((line) => line.trim() === fence.run) === lines.length - 1
    return isClosed && startsWithTag(content) ? `${lines.slice(0, -1).join('\n')}\n` : text
  }

  #canBeSole(): boolean {
    if (this.#held.length > MAX_HELD) return false
    if (this.#isCandidate) return true
    const fence = openingOf(this.#held)
    if (fence === undefined || fence === 'partial') return fence === 'partial'
    const content = this.#held.slice(fence.length)
    this.#isCandidate = startsWithTag(content)
    return this.#isCandidate || EXECUTABLE_TAGS.some((tag) => `<${tag}>`.startsWith(content.trimStart()))
  }

  #take(): string {
    const held = this.#held
    this.#held = ''
    return held
  }
}

/** Returns the fence with which a text begins and the length of its line, or that it may still come. */
function openingOf(text: string): { readonly run: string; readonly length: number } | 'partial' | undefined {
  const start = text.length - text.trimStart().length
  const end = text.indexOf('\n', start)
  const fence = readFence(text.slice(start, end === -1 ? text.length : end))
  if (end !== -1) return fence === undefined ? undefined : { run: fence.run, length: end + 1 }
  return fence !== undefined || ['', '`', '``', '~', '~~'].includes(text.slice(start)) ? 'partial' : undefined
}

function startsWithTag(content: string): boolean {
  return EXECUTABLE_TAGS.some((tag) => content.trimStart().startsWith(`<${tag}>`))
}
