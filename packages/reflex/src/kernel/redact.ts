import { isList, isObject } from './json.ts'
import type { Json } from './value.ts'

/**
 * Takes secrets out of a value: gives the value itself if it holds none, else a copy. Applied twice it changes
 * nothing more, so that what was recorded can be recorded again.
 */
export interface Redact {
  (value: Json): Json
  /** Begins the redaction of one stream of parts. Without it, each part is redacted by itself. */
  stream?(): RedactStream
}

/**
 * Redacts a value that comes in parts: texts under the same key of the parts continue one another. A text that may be the
 * beginning of a secret is held back until more of it has come. At most the longest secret is held back.
 */
export interface RedactStream {
  /** Returns what can be shown of a part; undefined when all of it is held back. `begins` drops what is held back. */
  take(part: Json, begins: boolean): Json | undefined
  /** Returns what is held back at the end of the stream; undefined when nothing is. */
  end(): Json | undefined
}

/**
 * Returns a redaction of values from one of texts: of every text in a value, keys of objects too. `decided` returns how
 * many characters of a text that continues can be redacted now: what follows may be the beginning of a secret.
 */
export function redactTexts(clean: (text: string) => string, decided?: (text: string) => number): Redact {
  const redact: Redact = (value) => {
    if (typeof value === 'string') return clean(value)
    if (isList(value)) return changed(value, value.map(redact))
    return isObject(value) ? redactObject(value) : value
  }
  const redactObject = (value: { readonly [key: string]: Json }): Json => {
    const entries = Object.entries(value)
    let same = true
    const next = entries.map(([key, inner]): [string, Json] => {
      const [name, found] = [clean(key), redact(inner)]
      if (name !== key || found !== inner) same = false
      return [name, found]
    })
    return same ? value : Object.freeze(Object.fromEntries(next))
  }
  return decided === undefined ? redact : Object.assign(redact, { stream: () => new TextStream(redact, decided) })
}

/** The rest of a part that is a text is kept under this key; no key of a JSON object equals it. */
const WHOLE = Symbol('whole')

class TextStream implements RedactStream {
  readonly #redact: Redact
  readonly #decided: (text: string) => number
  readonly #held = new Map<string | typeof WHOLE, string>()

  constructor(redact: Redact, decided: (text: string) => number) {
    this.#redact = redact
    this.#decided = decided
  }

  take(part: Json, begins: boolean): Json | undefined {
    if (begins) this.#held.clear()
    if (typeof part === 'string') return this.#text(WHOLE, part)
    if (!isObject(part)) return this.#redact(part)
    const entries = Object.entries(part)
    const shown = entries.flatMap(([key, value]): [string, Json][] => {
      const inner = typeof value === 'string' ? this.#text(key, value) : value
      return inner === undefined ? [] : [[key, inner]]
    })
    return shown.length === 0 && entries.length > 0 ? undefined : this.#redact(Object.fromEntries(shown))
  }

  end(): Json | undefined {
    const whole = this.#held.get(WHOLE)
    const rest = [...this.#held].flatMap(([key, text]) => (typeof key === 'string' ? [[key, text] as const] : []))
    this.#held.clear()
    if (rest.length > 0) return this.#redact(Object.fromEntries(rest))
    return whole === undefined ? undefined : this.#redact(whole)
  }

  /** Returns the part of a text that is decided; an empty text stays. */
  #text(key: string | typeof WHOLE, more: string): string | undefined {
    const text = (this.#held.get(key) ?? '') + more
    const end = this.#decided(text)
    if (end < text.length) this.#held.set(key, text.slice(end))
    else this.#held.delete(key)
    if (end === 0 && text !== '') return undefined
    return this.#redact(text.slice(0, end)) as string
  }
}

function changed(before: readonly Json[], after: readonly Json[]): Json {
  return after.some((item, i) => item !== before[i]) ? Object.freeze(after) : before
}
