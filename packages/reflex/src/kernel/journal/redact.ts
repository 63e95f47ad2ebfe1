import { isList, isObject } from './json.ts'
import type { Json } from './value.ts'

/**
 * Removes secrets from a value. Returns the value itself if it has none, otherwise a copy. Idempotent, so recorded values can
 * be recorded again.
 */
export interface Redactor {
  (value: Json): Json
  /** Starts the redaction of one stream of parts. Without this method, each part is redacted separately. */
  stream?(): StreamRedactor
}

/**
 * Redacts a value that comes in parts: texts under the same key continue each other. A text that may be the start of a secret
 * is held back, up to a limit, until more of it arrives.
 */
export interface StreamRedactor {
  /** Returns the part that can be shown; undefined if all of it is held back. `begins` drops the text that is held back. */
  take(part: Json, begins: boolean): Json | undefined
  /** Returns the text that is held back at the end of the stream; undefined if there is none. */
  end(): Json | undefined
}

/** Redacts one text that comes in parts. Holds back text that may be the start of a secret. */
export interface TextRedaction {
  /** Returns the text that can be shown now; it may be empty. */
  take(more: string): string
  /** Returns the text that is held back at the end. */
  end(): string
}

/**
 * Builds a redaction of values from a redaction of texts: applies to every text in a value and to object keys. `begin` starts
 * the redaction of a text that comes in parts; `inParts` redacts the other values of a part, by default `clean`.
 */
export function redactTexts(clean: (text: string) => string, begin?: () => TextRedaction, inParts = clean): Redactor {
  const redact: Redactor = (value) => {
    if (typeof value === 'string') return clean(value)
    if (isList(value)) return redactList(value)
    return isObject(value) ? redactObject(value) : value
  }
  // Most values have no secret: nothing is copied before the first one.
  const redactList = (value: readonly Json[]): Json => {
    let changed: Json[] | undefined
    for (let i = 0; i < value.length; i++) {
      const item = value[i] as Json
      const found = redact(item)
      if (found !== item) changed ??= value.slice(0, i)
      changed?.push(found)
    }
    return changed === undefined ? value : Object.freeze(changed)
  }
  const redactObject = (value: { readonly [key: string]: Json }): Json => {
    let changed: [string, Json][] | undefined
    const keys = Object.keys(value)
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string
      const inner = value[key] as Json
      const name = clean(key)
      const found = redact(inner)
      if (name !== key || found !== inner) changed ??= Object.entries(value).slice(0, i)
      changed?.push([name, found])
    }
    return changed === undefined ? value : Object.freeze(Object.fromEntries(changed))
  }
  return begin === undefined ? redact : Object.assign(redact, { stream: () => new TextStream(redactTexts(inParts), begin) })
}

/** The key for the text of a part that is a text itself; it differs from all keys of JSON objects. */
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
