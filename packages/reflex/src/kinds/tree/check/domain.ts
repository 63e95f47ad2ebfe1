import { isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { textOf } from '../model/text-of.ts'
import { schemaName } from '../board/schema-names.ts'

/** The numbers from `lo` to `hi`. An end that is open does not belong to it. `isWhole`: only whole numbers. */
export interface Interval {
  readonly lo: number
  readonly hi: number
  readonly isLoOpen: boolean
  readonly isHiOpen: boolean
  readonly isWhole: boolean
}

/** Some texts, or all but some. */
export type Texts = { readonly only: ReadonlySet<string> } | { readonly but: ReadonlySet<string> }

/** The values that are possible: nil, true, false, numbers, texts, tables. */
export interface Domain {
  readonly nil: boolean
  readonly yes: boolean
  readonly no: boolean
  readonly numbers: Interval | undefined
  readonly texts: Texts | undefined
  readonly tables: boolean
}

export const NOTHING: Domain = { nil: false, yes: false, no: false, numbers: undefined, texts: undefined, tables: false }
export const NIL: Domain = { ...NOTHING, nil: true }
export const REALS: Interval = { lo: -Infinity, hi: Infinity, isLoOpen: false, isHiOpen: false, isWhole: false }
export const ALL_TEXTS: Texts = { but: new Set() }
export const BOOLEANS: Domain = { ...NOTHING, yes: true, no: true }
export const EVERYTHING: Domain = { nil: true, yes: true, no: true, numbers: REALS, texts: ALL_TEXTS, tables: true }

export function point(value: number): Interval {
  return { lo: value, hi: value, isLoOpen: false, isHiOpen: false, isWhole: Number.isInteger(value) }
}

/** Returns the domain of one value. */
export function ofJson(value: Json): Domain {
  if (value === null) return NIL
  if (typeof value === 'boolean') return { ...NOTHING, yes: value, no: !value }
  if (typeof value === 'number') return { ...NOTHING, numbers: point(value) }
  return typeof value === 'string' ? { ...NOTHING, texts: { only: new Set([value]) } } : { ...NOTHING, tables: true }
}

const BY_NAME: Readonly<Record<string, Domain>> = {
  any: EVERYTHING,
  str: { ...NOTHING, texts: ALL_TEXTS },
  int: { ...NOTHING, numbers: { ...REALS, isWhole: true } },
  float: { ...NOTHING, numbers: REALS },
  bool: BOOLEANS,
  list: { ...NOTHING, tables: true },
  dict: { ...NOTHING, tables: true },
}

/** Returns the values that a declared schema admits, or more. A schema of a host can admit everything. */
export function ofSchema(type: string | JsonObject | undefined): Domain {
  if (type === undefined) return EVERYTHING
  if (!isObject(type)) return BY_NAME[schemaName(type) ?? 'any'] ?? EVERYTHING
  if (type.const !== undefined) return ofJson(type.const)
  if (isList(type.enum)) return type.enum.map(ofJson).reduce(join, NOTHING)
  const types = typeof type.type === 'string' ? [type.type] : isList(type.type) ? type.type : undefined
  if (types === undefined) return EVERYTHING
  return types.map((name) => ofType(textOf(name), type)).reduce(join, NOTHING)
}

function ofType(name: string, schema: JsonObject): Domain {
  if (name === 'null') return NIL
  const domain = BY_NAME[schemaName(name) ?? 'any'] ?? EVERYTHING
  if (domain.numbers === undefined || domain === EVERYTHING) return domain
  const [lo, hi] = [schema.minimum, schema.maximum]
  const numbers = { ...domain.numbers, ...(typeof lo === 'number' ? { lo } : {}), ...(typeof hi === 'number' ? { hi } : {}) }
  return { ...domain, numbers }
}

export function join(a: Domain, b: Domain): Domain {
  return {
    nil: a.nil || b.nil,
    yes: a.yes || b.yes,
    no: a.no || b.no,
    numbers: joinNumbers(a.numbers, b.numbers),
    texts: joinTexts(a.texts, b.texts),
    tables: a.tables || b.tables,
  }
}

function joinNumbers(a: Interval | undefined, b: Interval | undefined): Interval | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const lo = Math.min(a.lo, b.lo)
  const hi = Math.max(a.hi, b.hi)
  return {
    lo,
    hi,
    isLoOpen: [a, b].every((each) => each.lo > lo || each.isLoOpen),
    isHiOpen: [a, b].every((each) => each.hi < hi || each.isHiOpen),
    isWhole: a.isWhole && b.isWhole,
  }
}

function joinTexts(a: Texts | undefined, b: Texts | undefined): Texts | undefined {
  if (a === undefined || b === undefined) return a ?? b
  if ('only' in a) return 'only' in b ? { only: new Set([...a.only, ...b.only]) } : { but: without(b.but, a.only) }
  return 'only' in b ? { but: without(a.but, b.only) } : { but: new Set([...a.but].filter((text) => b.but.has(text))) }
}

function without(set: ReadonlySet<string>, gone: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...set].filter((item) => !gone.has(item)))
}

/** Returns the values that are in both. */
export function meet(a: Domain, b: Domain): Domain {
  return {
    nil: a.nil && b.nil,
    yes: a.yes && b.yes,
    no: a.no && b.no,
    numbers: meetNumbers(a.numbers, b.numbers),
    texts: meetTexts(a.texts, b.texts),
    tables: a.tables && b.tables,
  }
}

/** Returns the common numbers of two intervals; undefined if there are none. */
export function meetNumbers(a: Interval | undefined, b: Interval | undefined): Interval | undefined {
  if (a === undefined || b === undefined) return undefined
  const isWhole = a.isWhole || b.isWhole
  let lo = Math.max(a.lo, b.lo)
  let hi = Math.min(a.hi, b.hi)
  let isLoOpen = [a, b].some((each) => each.lo === lo && each.isLoOpen)
  let isHiOpen = [a, b].some((each) => each.hi === hi && each.isHiOpen)
  if (isWhole) {
    ;[lo, hi] = [isLoOpen ? Math.floor(lo) + 1 : Math.ceil(lo), isHiOpen ? Math.ceil(hi) - 1 : Math.floor(hi)]
    isLoOpen = isHiOpen = false
  }
  const isEmpty = lo > hi || (lo === hi && (isLoOpen || isHiOpen))
  return isEmpty ? undefined : { lo, hi, isLoOpen, isHiOpen, isWhole }
}

function meetTexts(a: Texts | undefined, b: Texts | undefined): Texts | undefined {
  if (a === undefined || b === undefined) return undefined
  if ('but' in a && 'but' in b) return { but: new Set([...a.but, ...b.but]) }
  const some = 'only' in a ? a.only : 'only' in b ? b.only : new Set<string>()
  const other = 'only' in a ? b : a
  const only = new Set([...some].filter((text) => ('only' in other ? other.only.has(text) : !other.but.has(text))))
  return only.size === 0 ? undefined : { only }
}

/** Returns the domain without a value, if the domain `value` is one value. */
export function except(domain: Domain, value: Domain): Domain {
  if (!isOne(value)) return domain
  const { numbers, texts } = domain
  const { numbers: number, texts: text } = value
  return {
    nil: domain.nil && !value.nil,
    yes: domain.yes && !value.yes,
    no: domain.no && !value.no,
    numbers: number !== undefined && numbers !== undefined ? exceptNumber(numbers, number.lo) : numbers,
    texts: text !== undefined && 'only' in text ? meetTexts(texts, { but: text.only }) : texts,
    tables: domain.tables,
  }
}

function exceptNumber(numbers: Interval, value: number): Interval | undefined {
  if (numbers.lo === value) return meetNumbers(numbers, { ...REALS, lo: value, isLoOpen: true })
  return numbers.hi === value ? meetNumbers(numbers, { ...REALS, hi: value, isHiOpen: true }) : numbers
}

/** True for a domain of one value, which equals itself. Tables are never one value. */
export function isOne({ nil, yes, no, numbers, texts, tables }: Domain): boolean {
  if (tables || (numbers !== undefined && numbers.lo !== numbers.hi)) return false
  if (texts !== undefined && !('only' in texts && texts.only.size === 1)) return false
  return [nil, yes, no, numbers !== undefined, texts !== undefined].filter(Boolean).length === 1
}

export function canBeTrue({ yes, numbers, texts, tables }: Domain): boolean {
  return yes || numbers !== undefined || texts !== undefined || tables
}

export function canBeFalse({ nil, no }: Domain): boolean {
  return nil || no
}

export function isNothing(domain: Domain): boolean {
  return !canBeTrue(domain) && !canBeFalse(domain)
}

/** Returns the types of Lua that are possible, without nil, in words. */
export function typesOf({ yes, no, numbers, texts, tables }: Domain): string[] {
  return [
    ...(numbers === undefined ? [] : ['a number']),
    ...(texts === undefined ? [] : ['a text']),
    ...(yes || no ? ['a boolean'] : []),
    ...(tables ? ['a table'] : []),
  ]
}
