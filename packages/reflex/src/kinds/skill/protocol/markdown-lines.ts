import { readFence } from './fence.ts'

/** The place of a line that makes a tag at its start plain text. */
export type InertPlace = 'fence' | 'comment' | 'inline_code' | 'quote'

interface Fence {
  readonly mark: string
  readonly length: number
  /** The column at which the content of a list item begins. */
  readonly indent: number
}

const LIST_MARKER = /^ {0,3}(?:[-*+]|\d{1,9}[.)]) {1,4}/

/**
 * Follows the lines of a reply as Markdown reads them, as far as it decides where a tag counts: fenced code, comments, code spans that
 * cross lines, block quotes (reference skill 1.12, rule 1). In doubt a line is inert: an example is not executed.
 */
export class MarkdownLines {
  #fence: Fence | undefined
  #inComment = false
  /** The length of the run of backticks that opened a code span, or 0. */
  #codeRun = 0
  /** True if the next line can continue a paragraph of a block quote. */
  #inQuote = false
  #inParagraph = false

  /** Returns the place of the next line, or undefined where a tag counts. */
  get place(): InertPlace | undefined {
    if (this.#fence !== undefined) return 'fence'
    if (this.#inComment) return 'comment'
    if (this.#codeRun > 0) return 'inline_code'
    return this.#inQuote ? 'quote' : undefined
  }

  /** Takes a whole line, without its end. */
  add(line: string): void {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    if (this.#fence === undefined) this.#addText(text)
    else if (closes(text, this.#fence)) this.#fence = undefined
  }

  /** Ends the paragraph: a block of the protocol stands between it and the next line. */
  endParagraph(): void {
    this.#codeRun = 0
    this.#inQuote = false
    this.#inParagraph = false
  }

  #addText(line: string): void {
    if (line.trim() === '') return this.endParagraph()
    if (!this.#inComment) {
      const fence = opens(line)
      if (fence !== undefined) {
        this.endParagraph()
        this.#fence = fence
        return
      }
      // Code by its indentation has no comments and no code spans.
      if (!this.#inParagraph && /^(?: {4}|\t)/.test(line)) return
    }
    const quoted = /^ {0,3}>/.test(line)
    this.#inParagraph = true
    this.#inQuote = quoted ? isParagraph(line) : this.#inQuote
    this.#addSpans(line)
  }

  /** Follows comments and code spans through a line. */
  #addSpans(line: string): void {
    let at = 0
    while (at < line.length) at = this.#inComment ? this.#skipComment(line, at) : this.#skipSpan(line, at)
  }

  #skipComment(line: string, at: number): number {
    const end = line.indexOf('-->', at)
    if (end === -1) return line.length
    this.#inComment = false
    return end + 3
  }

  /** Takes one character or run outside comments, and returns the place after it. */
  #skipSpan(line: string, at: number): number {
    const mark = line[at]
    if (mark === '`') {
      let end = at
      while (line[end] === '`') end++
      if (this.#codeRun === 0) this.#codeRun = end - at
      else if (this.#codeRun === end - at) this.#codeRun = 0
      return end
    }
    if (this.#codeRun > 0) return at + 1
    if (mark === '\\') return at + 2
    if (mark !== '<' || !line.startsWith('<!--', at)) return at + 1
    this.#inComment = true
    // Two comments of HTML are shorter than their marks: <!--> and <!--->.
    return line.startsWith('>', at + 4) || line.startsWith('->', at + 4) ? at + 2 : at + 4
  }
}

/** Returns the fence that a line opens, also as the first thing of a list item. */
function opens(line: string): Fence | undefined {
  let rest = line
  let indent = 0
  for (let marker = LIST_MARKER.exec(rest); marker !== null; marker = LIST_MARKER.exec(rest)) {
    indent += marker[0].length
    rest = rest.slice(marker[0].length)
  }
  const fence = readFence(rest)
  if (fence === undefined || fence.spaces > 3) return undefined
  return { mark: fence.run.slice(0, 1), length: fence.run.length, indent }
}

function closes(line: string, fence: Fence): boolean {
  const found = readFence(line)
  if (found === undefined || found.rest.trim() !== '') return false
  return found.run.startsWith(fence.mark) && found.run.length >= fence.length && found.spaces <= fence.indent + 3
}

/** True if a line of a block quote can be continued by a line without its mark. */
function isParagraph(line: string): boolean {
  const text = line.replace(/^ {0,3}>[ >]*/, '')
  return text.trim() !== '' && !/^(?:`{3}|~{3}|#)/.test(text)
}
