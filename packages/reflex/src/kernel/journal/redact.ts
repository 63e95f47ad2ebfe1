import { isList, isObject } from './json.ts'
import type { Json } from './value.ts'

/**
 * Takes secrets out of a value: gives the value itself if it holds none, else a copy. Applied twice it changes
 * nothing more, so that what was recorded can be recorded again.
 */
export interface Redactor {
  (value: Json): Json
  /** Begins the redaction of one stream of parts. Without it, each part is redacted by itself. */
  stream?(): StreamRedactor
}

/**
 * Redacts a value that comes in parts: texts under the same key of the parts continue one another. A text that may be the
 * beginning of a secret is held back until more of it has come; how much is bounded.
 */
export interface StreamRedactor {
  /** Returns what can be shown of a part; undefined when all of it is held back. `begins` drops what is held back. */
  take(part: Json, begins: boolean): Json | undefined
  /** Returns what is held back at the end of the stream; undefined when nothing is. */
  end(): Json | undefined
}

/** Redacts one text that comes in parts. What may be the beginning of a secret is held back. */
export interface TextRedaction {
  /** Returns what can be shown now; empty when nothing can. */
  take(more: string): string
  /** Returns what is held back at the end of the text. */
  end(): string
}

/**
 * Returns a redaction of values from one of texts: of every text in a value, keys of objects too. `begin` begins the
 * redaction of a text that comes in parts, `inParts` redacts the other values of a part; `clean` does if it is absent.
 */
export function redactTexts(clean: (text: string) => string, begin?: () => TextRedaction, inParts = clean): Redactor {
  const redact: Redactor = (value) => {
    if (typeof value === 'string') return clean(value)
    if (isList(value)) return changedList(value, value.map(redact))
    return isObject(value) ? redactObject(value) : value
  }
  const redactObject = (value: { readonly [key: string]: Json }): Json => {
    const entries = Object.entries(value)
    let isSame = true
    const next = entries.map(([key, inner]): [string, Json] => {
      const [name, found] = [clean(key), redact(inner)]
      if (name !== key || found !== inner) isSame = false
      return [name, found]
    })
    return isSame ? value : Object.freeze(Object.fromEntries(next))
  }
  return begin === undefined ? redact : Object.assign(redact, { stream: () => new TextStream(redactTexts(inParts), begin) })
}

/** The rest of a part that is a text is kept under this key; no key of a JSON object equals it. */
const WHOLE_VALUE = Symbol('whole')

class TextStream implements StreamRedactor {
  readonly #redact: Redactor
  readonly #begin: () => TextRedaction
  readonly #texts = new Map<string | typeof WHOLE_VALUE, TextRedaction>()

  constructor(redact: Redactor, begin: () => TextRedaction) {
    this.#redact = redact
    this.#begin = begin
  }

  take(part: Json, begins: boolean): Json | undefined {
    if (begins) this.#texts.clear()
    if (typeof part === 'string') return this.#text(WHOLE_VALUE, part)
    if (!isObject(part)) return this.#redact(part)
    const entries = Object.entries(part)
    const shown = entries.flatMap(([key, value]): [string, Json][] => {
      const inner = typeof value === 'string' ? this.#text(key, value) : this.#redact(value)
      return inner === undefined ? [] : [[this.#redact(key) as string, inner]]
    })
    return shown.length === 0 && entries.length > 0 ? undefined : Object.fromEntries(shown)
  }

  end(): Json | undefined {
    const ends = [...this.#texts].map(([key, text]) => [key, text.end()] as const).filter(([, text]) => text !== '')
    this.#texts.clear()
    const rest = ends.flatMap(([key, text]) => (typeof key === 'string' ? [[this.#redact(key) as string, text] as const] : []))
    return rest.length > 0 ? Object.fromEntries(rest) : ends.find(([key]) => key === WHOLE_VALUE)?.[1]
  }

  /** Returns the part of a text that is decided; an empty text stays. */
  #text(key: string | typeof WHOLE_VALUE, more: string): string | undefined {
    const text = this.#texts.get(key) ?? this.#begin()
    this.#texts.set(key, text)
    const shown = text.take(more)
    return shown === '' && more !== '' ? undefined : shown
  }
}

function changedList(before: readonly Json[], after: readonly Json[]): Json {
  return after.some((item, i) => item !== before[i]) ? Object.freeze(after) : before
}
