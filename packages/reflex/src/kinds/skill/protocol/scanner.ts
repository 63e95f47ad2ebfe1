import { byteLength } from './byte-length.ts'
import { MarkdownLines } from './markdown-lines.ts'
import type { ScannedBlock, ScanListener } from './scanned-block.ts'
import { type BlockTag, closingOf, endsWithOpening, isExecutable, LONGEST_TAG, MAX_BODY_BYTES, MAX_INDENT, openingOf } from './tags.ts'

interface OpenBlock {
  readonly tag: BlockTag
  /** The tag and the spaces before it. */
  opening: string
  /** True until the `>` of a tag with attributes. */
  inAttributes: boolean
  body: string
  /** The last characters of the text, in which tags are found. */
  recent: string
  nested: boolean
}

const TAG_END = /[> /]/g

type Mode = 'line_start' | 'text' | 'block' | 'after_block'

/**
 * Finds the blocks of a text that arrives in pieces of any size, character by character, and passes all other text on at once. It holds
 * back the beginning of a line while that may still become a tag (at most 18 characters), and blocks. It never throws; it keeps at most
 * 8 KiB of a block (reference skill 1.12).
 */
export class Scanner {
  readonly #listener: ScanListener
  readonly #lines = new MarkdownLines()
  #mode: Mode = 'line_start'
  /** The line up to here, and the part of it that was passed on. */
  #line = ''
  #passed = 0
  #open: OpenBlock | undefined
  #closed: ScannedBlock | undefined
  /** An executable tag inside a fence, which counts as a block once it is closed. */
  #fencedTag: BlockTag | undefined

  constructor(listener: ScanListener) {
    this.#listener = listener
  }

  push(text: string): void {
    let at = 0
    while (at < text.length) at = this.#mode === 'text' ? this.#takeText(text, at) : this.#takeCharacter(text, at)
  }

  /** Ends a part of the reply: no tag stands in two parts. A block that is open stays open. */
  endPart(): void {
    if (this.#mode === 'line_start' && this.#line !== '') this.#beginText()
  }

  /** Ends the line where something else than text follows. */
  breakLine(): void {
    this.endPart()
    if (this.#mode === 'text') this.#endLine()
  }

  end(): void {
    this.breakLine()
    if (this.#mode === 'after_block') this.#finishBlock()
    const open = this.#open
    if (open === undefined) return
    this.#open = undefined
    this.#listener.block({ ...contentOf(open), mistake: open.nested ? 'nested' : 'unclosed' })
  }

  /** Takes text up to the end of its line, and passes it on. */
  #takeText(text: string, at: number): number {
    const end = text.indexOf('\n', at)
    const piece = text.slice(at, end === -1 ? text.length : end)
    this.#line += piece
    this.#listener.text(end === -1 ? piece : `${piece}\n`)
    if (end === -1) return text.length
    this.#endLine()
    return end + 1
  }

  #takeCharacter(text: string, at: number): number {
    const character = text[at] ?? ''
    if (this.#mode === 'block') return this.#takeBody(text, at)
    if (this.#mode === 'line_start') return this.#takeLineStart(character, at)
    if (character === '\n') {
      this.#finishBlock()
      this.#startLine()
    } else if (!/\s/.test(character)) {
      this.#finishBlock('trailing')
      this.#mode = 'text'
      return at
    }
    return at + 1
  }

  /** Takes a character that may belong to a tag at the start of a line; returns the place from which the rest is taken. */
  #takeLineStart(character: string, at: number): number {
    const line = this.#line + character
    const mark = line.indexOf('<')
    const tag = mark === -1 ? undefined : openingOf(line.slice(mark))
    const isIndent = character === ' ' && line.length <= MAX_INDENT
    if (tag === undefined && (mark !== -1 || !isIndent)) {
      this.#beginText()
      return at
    }
    this.#line = line
    if (this.#lines.place !== undefined) this.#pass()
    if (tag !== undefined && tag !== 'partial') this.#openTag(tag)
    return at + 1
  }

  #openTag(tag: BlockTag): void {
    const { place } = this.#lines
    if (place !== undefined) {
      this.#beginText()
      if (!isExecutable(tag)) return
      if (place === 'fence') this.#fencedTag ??= tag
      else this.#listener.inert(tag, place)
      return
    }
    const opening = this.#line
    this.#open = { tag, opening, inAttributes: !opening.endsWith('>'), body: '', recent: '', nested: false }
    this.#line = ''
    this.#passed = 0
    this.#mode = 'block'
    if (opening.endsWith('/')) this.#open.recent = '/'
  }

  /** Takes text of a block up to the next character with which a tag can end; returns the place after it. */
  #takeBody(text: string, at: number): number {
    const open = this.#open
    if (open === undefined) return text.length
    TAG_END.lastIndex = at
    const end = (TAG_END.exec(text)?.index ?? text.length - 1) + 1
    const piece = text.slice(at, end)
    open.recent = (open.recent + piece.slice(-LONGEST_TAG)).slice(-LONGEST_TAG)
    if (open.inAttributes) {
      open.opening += piece.slice(0, MAX_BODY_BYTES - open.opening.length)
      open.inAttributes = !open.recent.endsWith('>')
      if (open.recent.endsWith('/>')) this.#close(open, '')
      return end
    }
    open.body += piece.slice(0, MAX_BODY_BYTES + LONGEST_TAG - open.body.length)
    const closing = closingOf(open.tag)
    if (open.recent.endsWith(closing)) this.#close(open, closing)
    else if (endsWithOpening(open.recent)) open.nested = true
    return end
  }

  #close(open: OpenBlock, closing: string): void {
    const body = open.body.endsWith(closing) ? open.body.slice(0, open.body.length - closing.length) : open.body
    const { tag, raw } = contentOf({ ...open, body })
    const mistake = open.nested ? 'nested' : byteLength(body) > MAX_BODY_BYTES ? 'oversized' : undefined
    this.#closed = { tag, body, raw: raw + closing, ...(mistake !== undefined && { mistake }) }
    this.#open = undefined
    this.#mode = 'after_block'
  }

  #finishBlock(mistake?: 'trailing'): void {
    const block = this.#closed
    if (block === undefined) return
    this.#closed = undefined
    this.#lines.endParagraph()
    this.#listener.block({ ...(mistake !== undefined && { mistake }), ...block })
  }

  /** Passes on what was held back of the line: it is no tag. */
  #beginText(): void {
    this.#mode = 'text'
    this.#pass()
  }

  #pass(): void {
    if (this.#passed < this.#line.length) this.#listener.text(this.#line.slice(this.#passed))
    this.#passed = this.#line.length
  }

  #endLine(): void {
    if (this.#fencedTag !== undefined && this.#line.includes(closingOf(this.#fencedTag))) {
      this.#listener.inert(this.#fencedTag, 'fence')
      this.#fencedTag = undefined
    }
    this.#lines.add(this.#line)
    if (this.#lines.place !== 'fence') this.#fencedTag = undefined
    this.#startLine()
  }

  #startLine(): void {
    this.#line = ''
    this.#passed = 0
    this.#mode = 'line_start'
  }
}

function contentOf(open: OpenBlock): { tag: BlockTag; body: string; raw: string } {
  const body = open.body.slice(0, MAX_BODY_BYTES)
  return { tag: open.tag, body: open.body, raw: open.opening + body }
}
