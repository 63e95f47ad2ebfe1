import type { Json } from '../../kernel/index.ts'
import { CALENDAR, Duration, SPANS, Timestamp, dateAt, durationOf, readDuration, readTimestamp, timestampAt, zoneMinutes } from './time.ts'
import { equalValues } from './compare.ts'
import { printable } from '../printable.ts'
import { linearPattern, patternCost } from '../linear-pattern.ts'
import { Refusal, isNumber, keyOf, phraseOf, type Meter, type TypeName, type Value } from './values.ts'

/** A function of the expression language: its signatures and its implementation. */
export interface CelFunction {
  /** The number of arguments when it is called on a value, without that value. */
  readonly method?: readonly [least: number, most: number]
  /** The number of arguments when it is called by itself. */
  readonly plain?: readonly [least: number, most: number]
  /** An example of a call for messages: `text.contains(part)`. */
  readonly usage: string
  /** The type of the result, if it is always the same. */
  readonly returns?: TypeName
  /** Calls the function. If it is called on a value, the value is the first argument. */
  call(args: readonly Value[], meter: Meter): Value | Refusal
}

/** The built-in functions of expressions, without operators and loops. */
export const FUNCTIONS: Readonly<Record<string, CelFunction>> = {
  size: { method: [0, 0], plain: [1, 1], usage: 'size(list)', returns: 'number', call: ([of = null], meter) => sizeOf(of, meter) },
  contains: textTest('contains', (text, part) => text.includes(part)),
  startsWith: textTest('startsWith', (text, part) => text.startsWith(part)),
  endsWith: textTest('endsWith', (text, part) => text.endsWith(part)),
  matches: { method: [1, 1], plain: [2, 2], usage: 'text.matches("^a+$")', returns: 'boolean', call: matches },
  int: { plain: [1, 1], usage: 'int(value)', returns: 'number', call: ([of = null]) => toInt(of) },
  double: { plain: [1, 1], usage: 'double(value)', returns: 'number', call: ([of = null]) => toDouble(of) },
  string: { plain: [1, 1], usage: 'string(value)', returns: 'text', call: ([of = null]) => toText(of) },
  bool: { plain: [1, 1], usage: 'bool(text)', returns: 'boolean', call: ([of = null]) => toBoolean(of) },
  dyn: { plain: [1, 1], usage: 'dyn(value)', call: ([of = null]) => of },
  timestamp: { plain: [1, 1], usage: 'timestamp("2026-01-31T12:00:00Z")', returns: 'timestamp', call: ([of = null]) => toTimestamp(of) },
  duration: { plain: [1, 1], usage: 'duration("1h30m")', returns: 'duration', call: ([of = null]) => toDuration(of) },
  ...Object.fromEntries(Object.keys(CALENDAR).map((name) => [name, calendarGetter(name)])),
}

function sizeOf(of: Value, meter: Meter): Value | Refusal {
  if (typeof of === 'string') return meter.spend(of.length / 100) ?? BigInt(codePoints(of))
  const isSized = typeof of === 'object' && of !== null && (of.kind === 'list' || of.kind === 'map')
  if (!isSized) return wrongType('size() needs a text, a list or an object', of)
  const { size } = of
  // Counting the keys of an object lists them all.
  return (of.kind === 'map' ? meter.spend(size) : undefined) ?? BigInt(size)
}

function codePoints(text: string): number {
  let count = text.length
  for (let i = 1; i < text.length; i++) {
    if (isHalf(text, i - 1, 0xd800) && isHalf(text, i, 0xdc00)) count--
  }
  return count
}

function isHalf(text: string, at: number, half: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === half
}

function textTest(name: string, test: (text: string, part: string) => boolean): CelFunction {
  return {
    method: [1, 1],
    usage: `text.${name}("part")`,
    returns: 'boolean',
    call([text = null, part = null], meter) {
      if (typeof text !== 'string') return wrongType(`${name}() needs a text`, text)
      if (typeof part !== 'string') return wrongType(`the argument of ${name}() must be a text`, part)
      // The search takes quadratic time in the worst case.
      return meter.spend((text.length * Math.max(1, part.length)) / 500) ?? test(text, part)
    },
  }
}

/** The limit on the compile cost, in steps, of all patterns in one expression together, and of each computed pattern. */
export const MAX_PATTERN_COST = 10_000

/**
 * Matches a text with the linear-time matcher of the library. Counts the cost of compiling before it compiles, and the cost of matching by
 * the size of the compiled pattern.
 */
function matches([text = null, pattern = null]: readonly Value[], meter: Meter): Value | Refusal {
  if (typeof text !== 'string') return wrongType('matches() needs a text', text)
  if (typeof pattern !== 'string') return wrongType('matches() needs a pattern as text', pattern)
  const refusal = meter.needsCompile(pattern) ? payFor(pattern, meter) : undefined
  if (refusal !== undefined) return refusal
  const made = linearPattern(pattern)
  if ('problem' in made) return new Refusal('type', patternMistake(made.problem))
  return meter.spend(((text.length + 50) * made.size) / 20) ?? made.test(text)
}

function payFor(pattern: string, meter: Meter): Refusal | undefined {
  const price = patternCost(pattern)
  return price > MAX_PATTERN_COST ? new Refusal('steps', 'too much to compute: the pattern is too large') : meter.spend(price)
}

function patternMistake(problem: string): string {
  return printable(`the pattern is not a regular expression of RE2: ${problem}`).slice(0, 200)
}

/** Returns what is wrong with a pattern; undefined if it is valid. */
export function patternProblem(pattern: string): string | undefined {
  const made = linearPattern(pattern)
  return 'problem' in made ? patternMistake(made.problem) : undefined
}

const MAX_INT = 2n ** 63n - 1n

/** Returns a whole number of CEL; refuses a number beyond 64 bits. */
export function int64(value: bigint): bigint | Refusal {
  return value > MAX_INT || value < -MAX_INT - 1n ? new Refusal('range', 'the number does not fit into 64 bits') : value
}

function toInt(of: Value): Value | Refusal {
  if (typeof of === 'bigint') return of
  if (typeof of === 'number')
    return Number.isFinite(of) ? int64(BigInt(Math.trunc(of))) : new Refusal('range', `${of} is not a whole number`)
  if (of instanceof Timestamp) return of.nanos / 1_000_000_000n
  if (typeof of !== 'string') return wrongType('int() needs a number or a text', of)
  return /^[+-]?\d{1,30}$/.test(of) ? int64(BigInt(of)) : new Refusal('range', 'int() needs a text of digits')
}

function toDouble(of: Value): Value | Refusal {
  if (isNumber(of)) return Number(of)
  if (typeof of !== 'string') return wrongType('double() needs a number or a text', of)
  const isNumeric = of.length < 400 && /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(of)
  return isNumeric ? Number(of) : new Refusal('range', 'double() needs a text that is a number')
}

function toText(of: Value): Value | Refusal {
  if (of instanceof Timestamp || of instanceof Duration) return of.text()
  if (of === null || typeof of === 'object') return wrongType('string() needs a text, a number, true, false or a time', of)
  return String(of)
}

function toBoolean(of: Value): Value | Refusal {
  if (typeof of === 'boolean') return of
  if (typeof of !== 'string') return wrongType('bool() needs a text', of)
  if (['true', 'True', 'TRUE', 't', '1'].includes(of)) return true
  return ['false', 'False', 'FALSE', 'f', '0'].includes(of) ? false : new Refusal('range', 'bool() needs "true" or "false"')
}

function toTimestamp(of: Value): Value | Refusal {
  if (of instanceof Timestamp) return of
  if (typeof of === 'bigint') return timestampAt(of * 1_000_000_000n) ?? timeRangeRefusal()
  if (typeof of !== 'string') return wrongType('timestamp() needs a text', of)
  return readTimestamp(of) ?? new Refusal('range', 'timestamp() needs a text such as "2026-01-31T12:00:00Z"')
}

function toDuration(of: Value): Value | Refusal {
  if (of instanceof Duration) return of
  if (typeof of === 'bigint') return durationOf(of * 1_000_000_000n) ?? timeRangeRefusal()
  if (typeof of !== 'string') return wrongType('duration() needs a text', of)
  return readDuration(of) ?? new Refusal('range', 'duration() needs a text such as "1h30m"')
}

function calendarGetter(name: string): CelFunction {
  return {
    method: [0, 1],
    usage: `timestamp.${name}()`,
    returns: 'number',
    call([of = null, zone]) {
      const span = SPANS[name]
      if (of instanceof Duration && zone === undefined && span !== undefined) return span(of.nanos)
      if (!(of instanceof Timestamp)) return wrongType(`${name}() needs a time`, of)
      const minutes = zone === undefined ? 0 : typeof zone === 'string' ? zoneMinutes(zone) : undefined
      if (minutes === undefined) return new Refusal('range', 'a zone is written as "UTC" or "+02:00"; names depend on the machine')
      return BigInt(CALENDAR[name]?.(dateAt(of, minutes)) ?? 0)
    },
  }
}

/** Returns the value of `value in list` and `key in map`. */
export function isIn(value: Value, range: Value, meter: Meter): boolean | Refusal {
  if (typeof range !== 'object' || range === null || (range.kind !== 'list' && range.kind !== 'map'))
    return wrongType('in needs a list or an object', range)
  if (range.kind === 'map') {
    const key = keyOf(value)
    return key !== undefined && (meter.spendKey(key) ?? range.has(key))
  }
  for (let i = 0; i < range.size; i++) {
    const item = meter.spend(1) ?? range.at(i)
    const equal = item instanceof Refusal ? item : equalValues(item, value, meter)
    if (equal !== false) return equal
  }
  return false
}

export function timeRangeRefusal(): Refusal {
  return new Refusal('range', 'the time is outside the years 1 to 9999')
}

function wrongType(rule: string, found: Value): Refusal {
  return new Refusal('type', `${rule}, not ${phraseOf(found)}`)
}

/** The possible types of the arguments and results of a host's function. */
export type ExpressionType = 'string' | 'number' | 'boolean' | 'list' | 'map' | 'any'

/**
 * A function that the host adds to expressions. It must be total and quick, and must compute its result only from its arguments, because
 * expressions are evaluated again on every replay. For any other result, record the result and add a function that reads the record.
 */
export interface ExpressionFunction {
  readonly name: string
  readonly params: readonly ExpressionType[]
  readonly returns: ExpressionType
  readonly call: (...args: Json[]) => Json
}

/** Answers a call of a function that is not declared: its arguments and its result can be anything. Throws why there is no answer. */
export type AnswerCall = (name: string, args: readonly Json[]) => Json
