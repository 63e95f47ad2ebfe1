import { isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import type { Path } from '../text/index.ts'
import type { BuiltinGuard } from '../kinds/workflow/index.ts'
import type { BoardRead, BoardWrite } from '../kinds/workflow/check/verify.ts'
import type { Condition } from './spec.ts'
import { isTemplate, templateReads } from './template.ts'

/** Returns the writes of named values, one for each name. */
export function writesOf(values: JsonObject | undefined, at: Path): BoardWrite[] {
  return Object.entries(values ?? {}).map(([key, value]): BoardWrite => {
    const write: BoardWrite = { key, isCertain: true, at: [...at, key], part: 'key' }
    return isLiteral(value) ? { ...write, values: [value], valueAt: [...at, key] } : write
  })
}

/** Returns the writes of the attribute `writes` of tools, people and models: one key or several, with unknown values. */
export function writesNamed(writes: string | object | undefined): BoardWrite[] {
  if (typeof writes === 'string') return [{ key: writes, isCertain: true, at: ['spec', 'writes'] }]
  return Object.keys(writes ?? {}).map((key): BoardWrite => ({ key, isCertain: true, at: ['spec', 'writes', key], part: 'key' }))
}

/** True if a value means itself: it is neither a template nor an object or list. */
export function isLiteral(value: Json): boolean {
  return typeof value === 'string' ? !isTemplate(value) : typeof value !== 'object' || value === null
}

/** Returns the guards on whole keys that a true condition implies. A path implies only that its key exists. */
export function guardsOf({ type, key, ...rest }: Condition): BuiltinGuard[] {
  const [root = key] = key.split('.')
  if (root === key && (type === 'equals' || type === 'not-equals')) return [{ type, key, value: 'value' in rest ? rest.value : undefined }]
  if (root === key && type === 'not-exists') return [{ type, key }]
  return type === 'not-exists' || type === 'not-equals' ? [] : [{ type: 'exists', key: root }]
}

/** Returns the guards on whole keys that a false condition implies. */
export function guardsOfNegation({ type, key, ...rest }: Condition): BuiltinGuard[] {
  if (key.includes('.')) return []
  const value = 'value' in rest ? rest.value : undefined
  switch (type) {
    case 'exists':
      return [{ type: 'not-exists', key }]
    case 'not-exists':
      return [{ type: 'exists', key }]
    case 'equals':
      return [{ type: 'not-equals', key, value }]
    case 'not-equals':
      return [{ type: 'equals', key, value }]
    default:
      return []
  }
}

/** Returns the reads of named values. */
export function readsOfValues(values: JsonObject | undefined, at: Path): BoardRead[] {
  return Object.entries(values ?? {}).flatMap(([key, value]) => readsOfValue(value, [...at, key]))
}

/** Returns the reads of a value in a spec: references, templates, and those inside lists and objects. */
export function readsOfValue(value: Json, at: Path): BoardRead[] {
  if (typeof value === 'string') return isTemplate(value) ? readsOfText(value, at) : []
  if (isList(value)) return value.flatMap((item, i) => readsOfValue(item, [...at, i]))
  if (!isObject(value)) return []
  const { from, else: fallback, literal, ...rest } = value
  if (typeof from === 'string' && literal === undefined && Object.keys(rest).length === 0) {
    const read = { path: from, at: [...at, 'from'] }
    if (fallback === undefined) return [read]
    return [{ ...read, optional: true }, ...readsOfValue(fallback, [...at, 'else']).map((one) => ({ ...one, optional: true }))]
  }
  if (literal !== undefined && Object.keys(value).length === 1) return []
  return readsOfValues(value, at)
}

/** Returns the reads of a text, given as one piece or as lines. */
export function readsOfText(text: string | readonly string[], at: Path): BoardRead[] {
  const whole = typeof text === 'string' ? text : text.join('\n')
  if (!isTemplate(whole)) return []
  return templateReads(whole).map(({ path, optional, ofItem }) => {
    const line = typeof text === 'string' ? -1 : text.findIndex((one) => one.includes(path))
    return { path, at: line < 0 ? at : [...at, line], ...(optional ? { optional } : {}), ...(ofItem ? { ofItem } : {}) }
  })
}
