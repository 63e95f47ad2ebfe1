import { quote } from '../../../text/index.ts'
import type { Slot } from '../model/slot.ts'
import type { Piece, TextPiece, ValuePiece } from './pieces.ts'
import type { TemplateProblem } from './problem.ts'

/** The place of a value in a URL: it decides the host, or it is part of what follows. */
export type UrlPosition = 'authority' | 'rest'

/** The URLs of a template: the positions of its values, and the pieces at which URLs begin. */
export interface UrlLiterals {
  /** By piece. */
  readonly positions: ReadonlyMap<Piece, UrlPosition>
  readonly starts: readonly UrlStart[]
}

/** The begin of a URL whose host has values: the piece of text, and the offset of its scheme in it. */
export interface UrlStart {
  readonly piece: TextPiece
  readonly offset: number
}

const SCHEME = /(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,20}:\/\//g
/** A character that ends a URL in a text. */
export const URL_END = /[\s"'<>`]/
/** A character that ends the host of a URL. */
export const AUTHORITY_END = /[/?#]/

/**
 * Finds the URLs of a template and the values in them (reference skill 1.6): a value in the host needs a type that has no separator
 * (`E_URL_AUTHORITY`), any other is percent-encoded.
 */
export function findUrls(pieces: readonly Piece[]): { readonly urls: UrlLiterals; readonly problems: readonly TemplateProblem[] } {
  const positions = new Map<Piece, UrlPosition>()
  const starts: UrlStart[] = []
  const problems: TemplateProblem[] = []
  let state: UrlPosition | 'none' | 'afterUrl' = 'none'
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind === 'text') {
      const isGlued = pieces[index - 1]?.kind === 'value'
      if (isGlued && state === 'none' && /^[A-Za-z0-9+.-]{0,20}:\/\//.test(piece.text))
        problems.push(dynamicScheme(pieces[index - 1] ?? piece))
      state = readText(piece, state, starts)
    } else if (state === 'none') state = piece.reference.slot?.type === 'url' ? 'afterUrl' : 'none'
    else if (state === 'afterUrl') problems.push(authorityProblem(piece))
    else {
      positions.set(piece, state)
      if (state === 'authority' && !isSafeInAuthority(piece)) problems.push(authorityProblem(piece))
    }
  }
  return { urls: { positions, starts }, problems }
}

/** Reads a piece of text. Returns the state behind it. */
function readText(piece: TextPiece, before: UrlPosition | 'none' | 'afterUrl', starts: UrlStart[]): UrlPosition | 'none' {
  const { text } = piece
  let at = 0
  let state: UrlPosition | 'none' = 'none'
  if (before === 'afterUrl') state = /^[/?#]/.test(text) ? 'rest' : URL_END.test(text[0] ?? ' ') ? 'none' : 'authority'
  else state = before
  for (;;) {
    if (state === 'none') {
      if (!text.includes('://', at)) return 'none'
      SCHEME.lastIndex = at
      const found = SCHEME.exec(text)
      if (found === null) return 'none'
      starts.push({ piece, offset: found.index })
      at = found.index + found[0].length
      state = 'authority'
    }
    const end = indexFrom(text, URL_END, at)
    if (end < 0) return state === 'rest' || indexFrom(text, AUTHORITY_END, at) >= 0 ? 'rest' : state
    state = 'none'
    at = end
  }
}

function indexFrom(text: string, pattern: RegExp, from: number): number {
  const found = text.slice(from).search(pattern)
  return found < 0 ? -1 : from + found
}

/** True if no value of the slot can have a separator of a URL. Rendering checks the value again. */
function isSafeInAuthority({ reference: { slot }, filters }: ValuePiece): boolean {
  return slot !== undefined && filters.every(({ name }) => name !== 'json') && isHostPart(slot)
}

function isHostPart(slot: Slot): boolean {
  if (['hostname_label', 'hostname', 'integer'].includes(slot.type)) return true
  if (slot.type === 'enum') return (slot.enum ?? []).every((word) => /^[A-Za-z0-9.-]+$/.test(word))
  // A pattern that names its characters: no escape, no negated class and no point that stands for any character.
  return slot.pattern !== undefined && !/[/@#?:\\]|\[\^/.test(slot.pattern) && !slot.pattern.replace(/\[[^[\]]*\]/g, '').includes('.')
}

function authorityProblem({ reference, offset, length }: ValuePiece): TemplateProblem {
  const { text, slot } = reference
  const message = `the value of ${quote(text)} can change the host of the URL`
  const fix =
    slot === undefined
      ? 'put it into a slot of the type hostname_label, hostname or integer'
      : `give the slot ${quote(text)} the type hostname_label, hostname or integer, or a pattern without / @ # ? : \\`
  return { rule: 'E_URL_AUTHORITY', message, fix, offset, length }
}

function dynamicScheme(piece: Piece): TemplateProblem {
  const { offset, length } = piece
  return {
    rule: 'E_URL_AUTHORITY',
    message: 'a value decides the scheme of the URL',
    fix: 'write the scheme as plain text, such as https://',
    offset,
    length,
  }
}
