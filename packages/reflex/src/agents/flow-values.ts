import { isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import type { Path } from '../text/index.ts'
import type { BuiltinGuard } from '../kinds/workflow/types.ts'
import type { BoardRead, BoardWrite } from '../kinds/workflow/verify.ts'
import type { Condition } from './spec.ts'
import { isTemplate, templateReads } from './template.ts'

/** What values by name write, each under its name. */
export function writesOf(values: JsonObject | undefined, at: Path): BoardWrite[] {
  return Object.entries(values ?? {}).map(([key, value]): BoardWrite => {
    const write: BoardWrite = { key, isCertain: true, at: [...at, key], part: 'key' }
    return isLiteral(value) ? { ...write, values: [value], valueAt: [...at, key] } : write
  })
}

/** Writes of what is not known yet, under one name or under several: the `writes` of tools, people and models. */
export function writesNamed(writes: string | object | undefined): BoardWrite[] {
  if (typeof writes === 'string') return [{ key: writes, isCertain: true, at: ['spec', 'writes'] }]
  return Object.keys(writes ?? {}).map((key): BoardWrite => ({ key, isCertain: true, at: ['spec', 'writes', key], part: 'key' }))
}

/** A value that stands for itself. */
export function isLiteral(value: Json): boolean {
  return typeof value === 'string' ? !isTemplate(value) : typeof value !== 'object' || value === null
}

/** What a condition that holds says of whole keys: a path says no more than that its key is there. */
export function guardsOf({ type, key, ...rest }: Condition): BuiltinGuard[] {
  const [root = key] = key.split('.')
  if (root === key && (type === 'equals' || type === 'not-equals')) return [{ type, key, value: 'value' in rest ? rest.value : undefined }]
  if (root === key && type === 'not-exists') return [{ type, key }]
  return type === 'not-exists' || type === 'not-equals' ? [] : [{ type: 'exists', key: root }]
}

/** What a condition that fails says. */
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

/** What values by name read. */
export function readsOfValues(values: JsonObject | undefined, at: Path): BoardRead[] {
  return Object.entries(values ?? {}).flatMap(([key, value]) => readsOfValue(value, [...at, key]))
}

/** What a value in a spec reads: references, templates, and those inside lists and objects. */
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

/** What a text, in one piece or in lines, looks up. */
export function readsOfText(text: string | readonly string[], at: Path): BoardRead[] {
  const whole = typeof text === 'string' ? text : text.join('\n')
  if (!isTemplate(whole)) return []
  return templateReads(whole).map(({ path, optional, ofItem }) => {
    const line = typeof text === 'string' ? -1 : text.findIndex((one) => one.includes(path))
    return { path, at: line < 0 ? at : [...at, line], ...(optional ? { optional } : {}), ...(ofItem ? { ofItem } : {}) }
  })
}
