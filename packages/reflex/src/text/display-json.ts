import { isObject, type Json } from '../kernel/journal/json.ts'

/** The base64 of a `data:` URL of more than this many characters is not shown. */
const MAX_SHOWN = 100

/**
 * Returns a value as JSON for people and models. The content of a file in base64, as `file.read` gives it or in a `data:` URL, is
 * left out: its other fields say what it is.
 */
export function displayJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: Json) => withoutContent(inner)) ?? String(value)
}

function withoutContent(value: Json): Json {
  if (typeof value === 'string') {
    const [, head] = /^(data:[\w.+-]+\/[\w.+-]+(?:;[\w=-]+)*;base64,)/.exec(value.slice(0, MAX_SHOWN)) ?? []
    return head === undefined || value.length <= MAX_SHOWN ? value : `${head}…`
  }
  return isContent(value) ? { ...value, data: '…' } : value
}

function isContent(value: Json): value is { readonly [key: string]: Json } {
  return isObject(value) && typeof value['data'] === 'string' && typeof value['hash'] === 'string' && typeof value['bytes'] === 'number'
}
