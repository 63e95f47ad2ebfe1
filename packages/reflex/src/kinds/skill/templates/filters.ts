import { canonicalJson, type Json } from '../../../kernel/index.ts'
import { quote, suggest } from '../../../text/index.ts'

/** A filter of a placeholder. `default` has an argument. */
export type Filter = { readonly name: FilterName } | { readonly name: 'default'; readonly value: Json }
type FilterName = keyof typeof FILTERS

/** A value that no filter can change, such as an object for `lower`. */
export const UNFIT = Symbol('unfit')

/** The filters of the language (reference skill 1.5); nothing extends the list. */
const FILTERS = {
  json: (value: Json): Json => canonicalJson(value),
  url: onText(encodeUrl),
  lower: onText((text) => text.toLowerCase()),
  upper: onText((text) => text.toUpperCase()),
  trim: onText((text) => text.trim()),
  basename: onText((text) => text.slice(text.lastIndexOf('/') + 1)),
} satisfies Record<string, (value: Json) => Json | typeof UNFIT>

const NAMES: readonly string[] = [...Object.keys(FILTERS), 'default']

/** Returns a filter by name, or what is wrong with it. */
export function filterNamed(name: string, value: Json | undefined): Filter | { readonly problem: string; readonly fix: string } {
  if (name === 'default') return value === undefined ? { problem: 'default has no value', fix: 'write default("text")' } : { name, value }
  if (!Object.hasOwn(FILTERS, name)) return { problem: `there is no filter ${quote(name)}`, fix: `write one of ${NAMES.join(', ')}` }
  if (value !== undefined) return { problem: `the filter ${quote(name)} takes no value`, fix: `write ${name}` }
  return { name: name as FilterName }
}

/** Returns the filter that a name probably means. */
export function filterGuess(name: string): string | undefined {
  return NAMES.includes(name) ? undefined : suggest(name, NAMES)
}

/** Returns a value after its filters; undefined stays undefined until `default`. */
export function applyFilters(value: Json | undefined, filters: readonly Filter[]): Json | undefined | typeof UNFIT {
  let result = value
  for (const filter of filters) {
    if ('value' in filter) {
      if (result === undefined) result = filter.value
    } else if (result !== undefined) {
      const next = FILTERS[filter.name](result)
      if (next === UNFIT) return UNFIT
      result = next
    }
  }
  return result
}

/** Returns the text of a scalar; undefined for an object, a list and null. Numbers have their shortest form. */
export function scalarText(value: Json): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** Encodes a text as one part of a path or a query of a URL; undefined for half a surrogate pair. */
export function encodeUrl(text: string): string | undefined {
  if (!text.isWellFormed()) return undefined
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

function onText(change: (text: string) => string | undefined): (value: Json) => Json | typeof UNFIT {
  return (value) => {
    const text = scalarText(value)
    return text === undefined ? UNFIT : (change(text) ?? UNFIT)
  }
}
