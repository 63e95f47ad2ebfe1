import { isList, isObject, type Json } from '../../../kernel/index.ts'

/** A reference to the blackboard: a path of a key and fields, and a default. */
const REFERENCE = /\$\{\s*bb\.([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*(?:\|\s*default:([^}]*))?\}/g

/**
 * Replaces `${bb.path}` and `${bb.path | default:value}` in texts, lists and objects. A text that is nothing but one reference becomes the value
 * itself; in a longer text a missing value becomes empty (reference 7.2).
 */
export function interpolate(value: Json, read: (key: string) => Json | undefined): Json {
  if (typeof value === 'string') return text(value, read)
  if (isList(value)) return value.map((item) => interpolate(item, read))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, read)]))
}

/** A key to which a value refers. `hasDefault`: another value stands for a missing one. */
export interface KeyReference {
  readonly key: string
  readonly hasDefault: boolean
}

/** The references of a value to the blackboard. */
export function interpolatedReferences(value: Json): KeyReference[] {
  if (typeof value === 'string')
    return [...value.matchAll(REFERENCE)].map(([, path = '', fallback]) => ({
      key: path.split('.')[0] ?? '',
      hasDefault: fallback !== undefined,
    }))
  if (isList(value)) return value.flatMap(interpolatedReferences)
  return isObject(value) ? Object.values(value).flatMap(interpolatedReferences) : []
}

/** The keys of the blackboard to which a value refers. */
export function interpolatedKeys(value: Json): string[] {
  return interpolatedReferences(value).map(({ key }) => key)
}

function text(value: string, read: (key: string) => Json | undefined): Json {
  const whole = [...value.matchAll(REFERENCE)]
  const [only] = whole
  if (only !== undefined && only[0].length === value.length) return resolved(only[1] ?? '', only[2], read) ?? null
  return value.replace(REFERENCE, (_, path: string, fallback: string | undefined) => printed(resolved(path, fallback, read)))
}

function resolved(path: string, fallback: string | undefined, read: (key: string) => Json | undefined): Json | undefined {
  const [key = '', ...fields] = path.split('.')
  let value = read(key)
  for (const field of fields) {
    if (isObject(value) && Object.hasOwn(value, field)) value = value[field]
    else if (isList(value) && /^\d+$/.test(field)) value = value[Number(field)]
    else value = undefined
  }
  return value === undefined || value === null ? (fallback === undefined ? undefined : literal(fallback.trim())) : value
}

function literal(word: string): Json {
  if (/^[-+]?\d+(\.\d+)?$/.test(word)) return Number(word)
  if (word === 'true' || word === 'false') return word === 'true'
  if (word === 'null' || word === 'none' || word === 'None') return null
  return /^(["']).*\1$/.test(word) ? word.slice(1, -1) : word
}

function printed(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
