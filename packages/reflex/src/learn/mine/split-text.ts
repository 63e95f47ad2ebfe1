import type { Json } from '../../kernel/index.ts'
import type { KnownSources } from './known-sources.ts'
import type { Piece } from './template.ts'
import { scalarText } from './values.ts'

/** Texts of one place by row; undefined in rows that are exceptions. */
export type TextColumn = readonly (string | undefined)[]

/** Names the rest of a text that nothing explains: a slot. */
export type MakeSlot = (texts: TextColumn) => Piece

/** The deepest nesting of a split. */
const DEEPEST = 8
/** A letter or digit run, or one other character. */
const TOKEN = /[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu
/** Characters at which a text is split if all texts have the same number of them. */
const SEPARATORS = ['/', '=', ':', ',', '@', '?', '&', '#', ' ', '|', ';'] as const

/** Splits the texts of a place into constant parts and parts from sources, the most specific way that covers all of them. */
export class TextSplitter {
  readonly #known: KnownSources
  readonly #whole: (texts: TextColumn) => Piece | undefined
  readonly #slot: MakeSlot

  /** `whole` explains a text by one source, `slot` makes a new slot. */
  constructor(known: KnownSources, whole: (texts: TextColumn) => Piece | undefined, slot: MakeSlot) {
    this.#known = known
    this.#whole = whole
    this.#slot = slot
  }

  split(step: number, texts: TextColumn, depth = 0): readonly Piece[] {
    const present = texts.filter((text) => text !== undefined)
    const [first = ''] = present
    if (present.every((text) => text === first)) return first === '' ? [] : [{ kind: 'text', text: first }]
    const whole = this.#whole(texts)
    if (whole !== undefined) return [whole]
    if (depth >= DEEPEST) return [this.#slot(texts)]
    return (
      this.#around(step, texts, depth) ??
      this.#affixes(step, texts, present, depth) ??
      this.#parts(step, texts, present, depth) ?? [this.#slot(texts)]
    )
  }

  /** Splits around the text of a known source. */
  #around(step: number, texts: TextColumn, depth: number): readonly Piece[] | undefined {
    const source = this.#known.inside(step, texts)
    if (source === undefined) return undefined
    const found = texts.map((text, i) => {
      const inner = scalarText(this.#known.valueOf(source, i))
      const at = text === undefined || inner === undefined || inner === '' ? -1 : text.indexOf(inner)
      return text === undefined || inner === undefined || at < 0 ? undefined : [text.slice(0, at), text.slice(at + inner.length)]
    })
    const side = (which: number): TextColumn => found.map((pair) => pair?.[which])
    return [...this.split(step, side(0), depth + 1), source, ...this.split(step, side(1), depth + 1)]
  }

  /** Takes the tokens that all texts begin or end with, and leaves something between them. */
  #affixes(step: number, texts: TextColumn, present: readonly string[], depth: number): readonly Piece[] | undefined {
    const tokens = present.map((text) => text.match(TOKEN) ?? [])
    const shortest = Math.min(...tokens.map(({ length }) => length))
    const [first = []] = tokens
    let begin = 0
    while (begin < shortest - 1 && tokens.every((list) => list[begin] === first[begin])) begin++
    let end = 0
    while (end < shortest - 1 - begin && tokens.every((list) => list.at(-1 - end) === first.at(-1 - end))) end++
    if (begin + end === 0) return undefined
    const [prefix, suffix] = [first.slice(0, begin).join(''), first.slice(first.length - end).join('')]
    const middle = texts.map((text) => text?.slice(prefix.length, text.length - suffix.length))
    return [...constant(prefix), ...this.split(step, middle, depth + 1), ...constant(suffix)]
  }

  /** Splits at a separator that every text has equally often. */
  #parts(step: number, texts: TextColumn, present: readonly string[], depth: number): readonly Piece[] | undefined {
    for (const separator of SEPARATORS) {
      const count = (present[0]?.split(separator).length ?? 1) - 1
      if (count === 0 || count > DEEPEST || !present.every((text) => isSplit(text, separator, count))) continue
      const pieces: Piece[] = []
      for (let i = 0; i <= count; i++)
        pieces.push(
          ...(i === 0 ? [] : constant(separator)),
          ...this.split(
            step,
            texts.map((text) => text?.split(separator)[i]),
            depth + 1,
          ),
        )
      return pieces
    }
    return undefined
  }
}

/** True if a text has so many separators, with something around each. */
function isSplit(text: string, separator: string, count: number): boolean {
  const parts = text.split(separator)
  return parts.length === count + 1 && parts.every((part) => part !== '')
}

function constant(text: string): readonly Piece[] {
  return text === '' ? [] : [{ kind: 'text', text }]
}

/** Joins neighbouring constant pieces. */
export function joined(pieces: readonly Piece[]): readonly Piece[] {
  const found: Piece[] = []
  for (const piece of pieces) {
    const last = found.at(-1)
    if (piece.kind === 'text' && last?.kind === 'text') found[found.length - 1] = { kind: 'text', text: last.text + piece.text }
    else found.push(piece)
  }
  return found
}

/**
 * Returns the texts of the pieces of a text: those that are known are compared, and an unknown one ends where the next known one begins.
 * Undefined if the text does not have this form.
 */
export function matchPieces(
  text: string,
  pieces: readonly Piece[],
  known: (piece: Piece) => Json | undefined,
): readonly string[] | undefined {
  const found: string[] = []
  let at = 0
  for (const [i, piece] of pieces.entries()) {
    const literal = textOf(piece, known)
    const next = pieces[i + 1]
    if (literal !== undefined) {
      if (!text.startsWith(literal, at)) return undefined
      found.push(literal)
    } else if (next === undefined) found.push(text.slice(at))
    else {
      const border = textOf(next, known)
      if (border === undefined || border === '') return undefined
      const end = i + 2 === pieces.length ? text.length - border.length : text.indexOf(border, at)
      if (end < at) return undefined
      found.push(text.slice(at, end))
    }
    at += found.at(-1)?.length ?? 0
  }
  return at === text.length ? found : undefined
}

function textOf(piece: Piece, known: (piece: Piece) => Json | undefined): string | undefined {
  return piece.kind === 'text' ? piece.text : scalarText(known(piece))
}
