import { copyJson, isFault, isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { didYouMean, quote, quoteAll, suggest } from '../../../text/index.ts'
import type { Parameter } from '../manifest/manifest.ts'
import type { FunctionNames, TreeFunction } from './function-names.ts'
import { leadsOut, leavesFolder, NAME } from './names.ts'
import { RawFunction, RawNode, RawTree, typeName } from './raw.ts'

/** A value in its normal form, or what is wrong with it in words that continue the name of the parameter. */
export type Judged = { readonly value: Json; readonly warning?: string } | Mistake

export interface Mistake {
  readonly mistake: string
  readonly fix?: string | undefined
  readonly note?: string | undefined
  readonly leadsOut?: true
}

/** The longest name of a key of the blackboard. */
const LONGEST_KEY = 256
/** Seconds above this are probably milliseconds. */
const MOST_SECONDS = 1000

/** Returns the value of a parameter in its normal form. `functions` is absent where functions are refused, as in Lua and JSON. */
export function judgeValue(parameter: Parameter, given: unknown, functions?: FunctionNames): Judged {
  if (given instanceof RawFunction || (typeof given === 'function' && functions === undefined)) {
    return { mistake: 'is a function, and a definition is data', fix: 'register the function with the host, and write its name' }
  }
  return JUDGES[parameter.type](given, parameter, functions)
}

type Judge = (given: unknown, parameter: Parameter, functions: FunctionNames | undefined) => Judged

const JUDGES: Readonly<Record<Parameter['type'], Judge>> = {
  text: (given) => (typeof given === 'string' ? { value: given } : wrong(given, 'must be a text')),
  flag: (given) => (typeof given === 'boolean' ? { value: given } : wrong(given, 'must be true or false')),
  number: judgeNumber,
  count: judgeNumber,
  ms: judgeNumber,
  enum: (given, { values = {} }) => judgeWord(given, values),
  key: judgeKey,
  condition: (given, _, functions) => judgeCondition(given, functions),
  expression: (given) =>
    typeof given === 'number' || typeof given === 'boolean' ? { value: String(given) } : judgeText(given, 'an expression of Lua'),
  lua: (given) => judgeText(given, 'a text of Lua'),
  function: (given, _, functions) =>
    isFunction(given) && functions !== undefined ? { value: functions.nameOf(given) } : judgeText(given, 'the name of a function'),
  tool: (given) => judgeText(given, 'the name of a tool'),
  tree: judgeTreeName,
  program: (given) =>
    typeof given === 'string' && !given.includes(':') ? judgeTreeName(given) : judgeText(given, 'the name of a program'),
  path: judgePath,
  names: judgeNames,
  map: (given, { values }) => judgeMap(given, values),
  json: judgeJson,
}

function wrong(given: unknown, must: string, fix?: string): Judged {
  return { mistake: `${must}, found ${typeName(given)}`, fix }
}

function judgeText(given: unknown, what: string): Judged {
  return typeof given === 'string' && given !== '' ? { value: given } : wrong(given, `must be ${what}`)
}

function judgeNumber(given: unknown, { type, least, unit }: Parameter): Judged {
  if (typeof given !== 'number' || !Number.isFinite(given)) return wrong(given, `must be a number${unit === undefined ? '' : ` (${unit})`}`)
  const isWhole = type !== 'number'
  if (isWhole && !Number.isSafeInteger(given)) return wrong(given, 'must be a whole number')
  const lowest = type === 'ms' ? 1 : (least ?? (type === 'count' ? 0 : undefined))
  if (lowest !== undefined && given < lowest) return wrong(given, `must be at least ${lowest}`)
  if (unit === 's' && given <= 0) return wrong(given, 'must be above 0')
  if (unit !== 's' || given <= MOST_SECONDS) return { value: given }
  return { value: given / 1000, warning: `is in seconds, and ${given} is taken as milliseconds` }
}

/** Returns the word of an enum that another spelling means. */
export function wordOf(values: Readonly<Record<string, readonly string[]>>, given: string): string | undefined {
  const folded = fold(given)
  return Object.entries(values).find(([word, aliases]) => [word, ...aliases].some((name) => fold(name) === folded))?.[0]
}

function fold(word: string): string {
  return word.toLowerCase().replaceAll('_', '-')
}

function judgeWord(given: unknown, values: Readonly<Record<string, readonly string[]>>): Judged {
  const words = Object.keys(values)
  if (typeof given !== 'string') return wrong(given, `must be one of ${quoteAll(words)}`)
  const value = wordOf(values, given)
  if (value !== undefined) return { value }
  const guess = suggest(given, Object.entries(values).flat(2))
  return {
    mistake: `cannot be ${quote(given)}`,
    note: didYouMean(guess),
    fix: guess === undefined ? `write one of ${quoteAll(words)}` : `write ${quote(guess)}`,
  }
}

function judgeKey(given: unknown): Judged {
  if (typeof given !== 'string' || given === '') return wrong(given, 'must be a key of the blackboard')
  return given.length <= LONGEST_KEY ? { value: given } : { mistake: `has ${given.length} characters; a key has at most ${LONGEST_KEY}` }
}

/** Judges a name of a tree. Nothing is opened under a name that leads out of the folder. */
export function judgeTreeName(given: unknown): Judged {
  if (typeof given !== 'string') return wrong(given, 'must be the name of a tree')
  if (leadsOut(given)) {
    return {
      mistake: `must be a name, and ${quote(given)} is a path`,
      fix: 'write the name of the tree, such as "research"',
      leadsOut: true,
    }
  }
  if (NAME.test(given)) return { value: given }
  return {
    mistake: `cannot be ${quote(given)}`,
    fix: 'begin with a letter, and use only letters, digits, _ and - behind it',
  }
}

function judgePath(given: unknown): Judged {
  if (typeof given !== 'string' || given === '') return wrong(given, 'must be a file below the folder of the tree')
  if (!leavesFolder(given)) return { value: given }
  return { mistake: `leads out of the folder of the tree: ${quote(given)}`, fix: 'name a file below the folder', leadsOut: true }
}

function judgeNames(given: unknown): Judged {
  if (typeof given === 'string') return { value: [given] }
  if (isEmpty(given)) return { value: [] }
  if (Array.isArray(given) && given.every((name) => typeof name === 'string')) return { value: given }
  return wrong(given, 'must be a list of texts')
}

function isEmpty(given: unknown): boolean {
  return isPlain(given) && Object.keys(given).length === 0
}

function judgeMap(given: unknown, values?: Readonly<Record<string, readonly string[]>>): Judged {
  if (!isPlain(given)) return wrong(given, 'must be a map of names to names')
  const made: [string, Json][] = []
  for (const [key, item] of Object.entries(given)) {
    // A path of a key and fields can be a list.
    const name = Array.isArray(item) && item.length > 0 && item.every((part) => typeof part === 'string') ? item.join('.') : item
    const judged: Judged = values === undefined ? judgeText(name, 'a name') : judgeWord(name, values)
    if ('mistake' in judged) return { ...judged, mistake: `.${key} ${judged.mistake}` }
    made.push([key, judged.value])
  }
  // An assignment to `__proto__` would change the prototype and add no key.
  return { value: Object.fromEntries(made) }
}

function judgeCondition(given: unknown, functions: FunctionNames | undefined): Judged {
  if (isFunction(given) && functions !== undefined) return { value: { fn: functions.nameOf(given) } }
  if (!isPlain(given)) return judgeText(given, 'Lua that is true or false, or { fn = "name" }')
  const { fn, args, inputs, ...others } = given
  const [other] = Object.keys(others)
  if (other !== undefined) return { mistake: `has the unknown key ${quote(other)}`, fix: 'write { fn = "name", args = … }' }
  const name: Judged = isFunction(fn) && functions !== undefined ? { value: functions.nameOf(fn) } : judgeText(fn, 'the name of a function')
  if ('mistake' in name) return { ...name, mistake: `.fn ${name.mistake}` }
  const made: Record<string, Json> = { fn: name.value }
  if (args !== undefined) {
    const judged = judgeJson(args)
    if ('mistake' in judged) return { ...judged, mistake: `.args ${judged.mistake}` }
    made.args = judged.value
  }
  if (inputs !== undefined) {
    const judged = judgeMap(inputs)
    if ('mistake' in judged) return { ...judged, mistake: `.inputs ${judged.mistake}` }
    made.inputs = judged.value
  }
  return { value: made }
}

/** Judges any value that JSON has. */
export function judgeJson(given: unknown): Judged {
  try {
    return { value: copyJson(given ?? null, 'the value') }
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    return { mistake: strangerIn(given) ?? `cannot be stored: ${thrown.message}`, fix: thrown.fix }
  }
}

/** The most parts of a value that are searched for the reason why it cannot be stored. */
const MOST_PARTS = 10_000

/** Returns why a value is no data: it contains a function or a node. */
function strangerIn(given: unknown): string | undefined {
  const open = [given]
  for (let count = 0; count < MOST_PARTS && open.length > 0; count++) {
    const next = open.pop()
    if (next instanceof RawFunction || typeof next === 'function') return 'contains a function, and a definition is data'
    if (next instanceof RawNode || next instanceof RawTree) return `contains ${typeName(next)}; nodes stand among the children`
    if (typeof next === 'object' && next !== null) open.push(...(Object.values(next) as unknown[]))
  }
  return undefined
}

/** True for an object that is neither a list nor a node. */
export function isPlain(given: unknown): given is Readonly<Record<string, unknown>> {
  return (
    typeof given === 'object' &&
    given !== null &&
    !Array.isArray(given) &&
    !(given instanceof RawNode || given instanceof RawTree || given instanceof RawFunction)
  )
}

function isFunction(given: unknown): given is TreeFunction {
  return typeof given === 'function'
}

/** Returns the JSON of a value if it is an object; for values that were judged. */
export function asObject(value: Json | undefined): JsonObject | undefined {
  return value !== undefined && isObject(value) && !isList(value) ? value : undefined
}
