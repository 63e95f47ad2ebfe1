import { isList, isObject, type Json, type JsonObject } from '../../kernel/index.ts'

/** The deepest nesting of a value that is imported. */
const DEEPEST = 512

/** Returns the object in a value, or an empty one. */
export function objectIn(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

/** Returns the items of a list; of anything else, none. */
export function itemsIn(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : []
}

/** Returns the own value of a key. */
export function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

export function textIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Returns the texts of a message: its content is a text, or a list of parts of which those of the type `text` count. */
export function contentText(content: Json | undefined): string {
  if (typeof content === 'string') return content
  return itemsIn(content)
    .flatMap((part) => {
      const { type, text } = objectIn(part)
      return (type === 'text' || type === 'input_text' || type === 'output_text') && typeof text === 'string' ? [text] : []
    })
    .join('\n')
}

/** Returns the content of a result: a single text as a text, anything else as it is. */
export function resultIn(content: Json | undefined): Json {
  const parts = itemsIn(content)
  const [part] = parts
  const { type, text } = objectIn(part)
  return parts.length === 1 && type === 'text' && typeof text === 'string' ? text : (content ?? null)
}

/** Returns milliseconds since the epoch of a time in ISO 8601; undefined for anything else. */
export function timeIn(value: Json | undefined): number | undefined {
  const at = typeof value === 'string' && value.length <= 40 ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

const INPUT_TOKENS = /^(?:input|prompt|cache_creation_input|cache_read_input)_?tokens$|^inputTokens$/
const OUTPUT_TOKENS = /^(?:output|completion)_?tokens$|^outputTokens$/

/** Returns the counted tokens of a usage. Those that a cache has taken are of the input. */
export function tokensIn(usage: Json | undefined): { readonly input?: number; readonly output?: number } {
  const counts = Object.entries(objectIn(usage))
  const input = sumOf(counts, INPUT_TOKENS)
  const output = sumOf(counts, OUTPUT_TOKENS)
  return { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }) }
}

function sumOf(counts: readonly (readonly [name: string, count: Json | undefined])[], names: RegExp): number | undefined {
  let sum: number | undefined
  for (const [name, count] of counts)
    if (typeof count === 'number' && Number.isFinite(count) && count >= 0 && names.test(name)) sum = (sum ?? 0) + Math.round(count)
  return sum
}

/** Parses JSON. Returns undefined for other texts, for values that are nested too deeply, and for numbers that no JSON can hold again, such as `1e999`. */
export function parsedJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json
    return isStorable(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isStorable(value: Json): boolean {
  let level: readonly Json[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST || level.some((one) => typeof one === 'number' && !Number.isFinite(one))) return false
    level = level.flatMap((one) => (isList(one) ? one : isObject(one) ? Object.values(one) : []))
  }
  return true
}
