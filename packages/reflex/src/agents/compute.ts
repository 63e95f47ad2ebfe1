import { isList, isObject, type Json } from '../kernel/index.ts'
import { faults } from './faults.ts'
import { type Draft, valueInside, requiredValue } from './lookup.ts'
import { everyMatch, firstMatches } from './patterns.ts'
import { type Classify, type Extract, joinLines, listOf, type RulesSpec } from './spec.ts'
import { fill, isNothing } from './template.ts'
import { evaluate } from './evaluate.ts'

const MOST_ITEMS = 20_000
const LONGEST_ITEM = 10_000
const LONGEST_SOURCE = 2_000_000
const MOST_MATCHES = 1000

/** The actions of a spec that compute values. */
export type Actions = Pick<RulesSpec, 'classify' | 'extract' | 'pick' | 'template'>

/**
 * Performs the actions of a spec in this order: classify, extract, pick, template. Each action sees the values that earlier ones
 * wrote. Returns a summary line for the trace; undefined if the spec has no actions.
 */
export function compute(spec: Actions, draft: Draft): string | undefined {
  const parts = [
    ...listOf(spec.classify).map((action) => classify(action, draft)),
    ...listOf(spec.extract).map((action) => extract(action, draft)),
    ...Object.entries(spec.pick ?? {}).map(([key, values]) => pick(key, values, draft)),
    ...Object.entries(spec.template ?? {}).map(([key, lines]) => template(key, joinLines(lines), draft)),
  ]
  return parts.length === 0 ? undefined : parts.join('; ')
}

/**
 * Sorts the items of a list into classes by the first pattern that matches their text. Writes `{counts, groups, top, total}`:
 * the number of items of each class, the items of each class, the first class that has any, and the number of all items.
 */
function classify(action: Classify, draft: Draft): string {
  const items = itemsOf(requiredValue(draft, action.from, 'classify.from'), 'classify.from')
  const texts = items.map((item, i) => textOf(item, listOf(action.by), `classify ${action.from}[${i}]`).slice(0, LONGEST_ITEM))
  const places = firstMatches(texts, action.rules, 'classify.rules')
  const classes = [...new Set([...action.rules.map((rule) => rule.class), action.otherwise])]
  const groups = new Map<string, Json[]>(classes.map((name) => [name, []]))
  for (const [i, item] of items.entries()) {
    const place = places[i] ?? -1
    groups.get(place < 0 ? action.otherwise : (action.rules[place]?.class ?? action.otherwise))?.push(pickFields(item, action.keep))
  }
  const counts = Object.fromEntries(Array.from(groups, ([name, members]) => [name, members.length]))
  const top = classes.find((name) => (counts[name] ?? 0) > 0) ?? null
  draft.write(action.into, { counts, groups: Object.fromEntries(groups), top, total: items.length })
  const nonEmpty = Object.entries(counts).filter(([, count]) => count > 0)
  return nonEmpty.length === 0 ? `nothing in ${action.from}` : nonEmpty.map(([name, count]) => `${count} ${name}`).join(', ')
}

function itemsOf(list: Json, where: string): readonly Json[] {
  if (!isList(list)) throw faults.make('R2111', `${where} must name a list`, { path: where })
  if (list.length > MOST_ITEMS)
    throw faults.make('R2113', `${where} has ${list.length} items; at most ${MOST_ITEMS} are allowed`, { path: where })
  return list
}

/** Returns the text of an item: the item itself, or its values at some paths, each on its own line. Missing values are left out. */
function textOf(item: Json, paths: readonly string[], where: string): string {
  if (paths.length === 0) {
    if (typeof item === 'string') return item
    throw faults.make('R2111', `${where} is not a text; name the text inside it in "by"`, { path: where })
  }
  const texts = paths.flatMap((path) => valueInside(item, path.split('.')) ?? [])
  return texts.map((text) => (typeof text === 'string' ? text : JSON.stringify(text))).join('\n')
}

function pickFields(item: Json, keys: readonly string[] | undefined): Json {
  if (keys === undefined || !isObject(item)) return item
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(item, key) ? [[key, item[key] ?? null]] : [])))
}

/**
 * Collects the matches of a pattern in a text or a list of texts, without repetitions and in order. With `first`, writes only
 * the first match, or null.
 */
function extract(action: Extract, draft: Draft): string {
  const source = requiredValue(draft, action.from, 'extract.from')
  const items = isList(source) ? itemsOf(source, 'extract.from') : [source]
  const texts = items.map((item, i) => textOf(item, listOf(action.by), `extract ${action.from}[${i}]`))
  const size = texts.reduce((sum, text) => sum + text.length, 0)
  if (size > LONGEST_SOURCE)
    throw faults.make('R2113', `extract.from has ${size} characters; at most ${LONGEST_SOURCE} are allowed`, { path: 'extract.from' })
  const without = new Set(
    action.without === undefined ? [] : itemsOf(requiredValue(draft, action.without, 'extract.without'), 'extract.without'),
  )
  const found = [...new Set(everyMatch(texts, action, MOST_MATCHES, 'extract.match'))].filter((text) => !without.has(text))
  draft.write(action.into, action.first ? (found[0] ?? null) : found)
  if (action.first) return `${action.into} ${found[0] === undefined ? 'not found' : quotedValue(found[0])}`
  return `${found.length} ${action.into}`
}

/** Writes the first of several values that is not missing, null, false, an empty text or an empty list. */
function pick(key: string, values: readonly Json[], draft: Draft): string {
  for (const [i, value] of values.entries()) {
    const last = i === values.length - 1
    const found = last ? evaluate(value, draft, `pick.${key}[${i}]`) : optionalValue(value, draft)
    if (!last && isNothing(found)) continue
    draft.write(key, found ?? null)
    return `${key} ${quotedValue(found ?? null)}`
  }
  return key
}

/** Returns a value that may be missing; undefined for a reference to a missing value. */
function optionalValue(value: Json, draft: Draft): Json | undefined {
  if (isObject(value) && typeof value.from === 'string' && value.else === undefined) return draft.find(value.from)
  return evaluate(value, draft, 'pick')
}

function template(key: string, text: string, draft: Draft): string {
  const filled = fill(text, draft, `template.${key}`)
  draft.write(key, filled)
  return `${key} ${quotedValue(filled)}`
}

function quotedValue(value: Json): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  // Lines are counted as in files: the last line may or may not end with a line break.
  const lines = value.split('\n').length - (value.endsWith('\n') ? 1 : 0)
  if (lines > 1) return `${lines} lines`
  return value.length > 60 ? `“${value.slice(0, 59)}…”` : `“${value}”`
}
