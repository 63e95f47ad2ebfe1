import { isList, isObject } from './json.ts'
import type { Json } from './value.ts'

/**
 * Takes secrets out of a value: gives the value itself if it holds none, else a copy. Applied twice it changes
 * nothing more, so that what was recorded can be recorded again.
 */
export type Redact = (value: Json) => Json

/** A redaction of values from one of texts: every text in the value, keys of objects too. */
export function redactTexts(clean: (text: string) => string): Redact {
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
  return redact
}

function changed(before: readonly Json[], after: readonly Json[]): Json {
  return after.some((item, i) => item !== before[i]) ? Object.freeze(after) : before
}
