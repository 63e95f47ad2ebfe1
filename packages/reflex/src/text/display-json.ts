import { isObject, type Json } from '../kernel/index.ts'

/** The length in characters from which the base64 of a `data:` URL is left out. */
const MAX_SHOWN = 100

/**
 * Returns a value as JSON for people and models. Leaves out the base64 content of files, both in results of `file.read` and in `data:`
 * URLs; the other fields describe the file.
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
