import { quote } from '../../../text/index.ts'
import type { Cursor } from './cursor.ts'
import { beginsIdentifier, identifierEnd, isSpace, keyEnd } from './scan.ts'

const QUOTE = 34
const DOT = 46

/** A name in the text. */
export interface Name {
  readonly text: string
  readonly from: number
  readonly to: number
  readonly quoted: boolean
  /** The narrowest kind of the name; undefined if it is not a valid name. */
  readonly kind: NameKind | undefined
}

/** The kind of a name: one identifier (`id`), or, for attributes, several identifiers with dots between (`key`). */
type NameKind = 'id' | 'key'

/**
 * Reads names. It reports each invalid name once with a valid replacement, and still uses the invalid name, so that one mistake causes no
 * others.
 */
export class Names {
  readonly #cursor: Cursor
  readonly #reported = new Set<string>()

  constructor(cursor: Cursor) {
    this.#cursor = cursor
  }

  /** Reads the name that begins here; returns undefined if none does. `check` tests if it is valid, after its purpose is known. */
  read(code: number): Name | undefined {
    const cursor = this.#cursor
    const from = cursor.at
    if (code === QUOTE) {
      const text = cursor.string()
      return { text, from, to: cursor.at, quoted: true, kind: kindOf(text) }
    }
    const { text: source } = cursor
    let to = identifierEnd(source, from)
    let kind: NameKind | undefined = to === from ? undefined : 'id'
    if (kind === 'id' && source.charCodeAt(to) === DOT && keyEnd(source, from) > to) {
      kind = 'key'
      to = keyEnd(source, from)
    }
    if (continuesWord(source, to) && (to > from || beginsWord(source, from))) {
      kind = undefined
      to = wordEnd(source, to)
    }
    if (to === from) return undefined
    cursor.at = to
    return { text: source.slice(from, to), from, to, quoted: false, kind }
  }

  /** Reports a name that is not of the given kind. */
  check(name: Name, kind: NameKind): void {
    const { text, from, to } = name
    if (name.kind === 'id' || name.kind === kind) {
      if (name.quoted) this.#cursor.checkStrict(from, to, `the name ${quote(text)} is in quotes`, 'write it without quotes')
      return
    }
    if (this.#reported.has(text)) return
    this.#reported.add(text)
    const message =
      kind === 'id'
        ? `node ids must be bare identifiers, and ${quote(text)} is not one`
        : `the name of an attribute must be one or more identifiers with dots between, and ${quote(text)} is not`
    this.#cursor.error({ code: 'R1103', from, to, message, fix: `write ${quote(suggestedName(text, kind))}` })
  }
}

function kindOf(text: string): NameKind | undefined {
  if (text === '') return undefined
  return identifierEnd(text, 0) === text.length ? 'id' : keyEnd(text, 0) === text.length ? 'key' : undefined
}

/**
 * True if a character continues a word that is not an identifier: a hyphen that begins no edge, a dot, a digit, or a letter of any
 * language.
 */
function continuesWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  const next = text.charCodeAt(at + 1)
  if (code === 45) return next !== 62 && next !== 45
  return code === 46 || (code >= 48 && code <= 57) || beginsIdentifier(code) || (code >= 128 && !isSpace(code))
}

function wordEnd(text: string, from: number): number {
  let at = from
  while (continuesWord(text, at)) at++
  return at
}

/** True for a digit or a letter of any language. A word that begins with another character is not a misspelt name. */
function beginsWord(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(String.fromCodePoint(text.codePointAt(at) ?? 0))
}

/** Returns the nearest valid name: without accents, and with underscores for all other invalid characters. */
function suggestedName(text: string, kind: NameKind): string {
  const plain = text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .slice(0, 100)
  const pieces = (kind === 'key' ? plain.split('.') : [plain]).map((piece) =>
    piece.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^(?=\d|$)/, '_'),
  )
  return pieces.join('.')
}
