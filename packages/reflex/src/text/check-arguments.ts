import { faults } from './faults.ts'
import { quote } from './printable.ts'
import { suggest } from './suggest.ts'

/** The form of a value that a program without types may get wrong. */
export interface Form {
  /** In words, for messages: `text`, `a list of texts`. */
  readonly what: string
  /** The first part that does not have the form; undefined where all of it has. */
  mismatch(value: unknown): Mismatch | undefined
}

/** A part of a value that does not have its form: its path inside, such as `.policy[0].allow`, and what is wrong. */
interface Mismatch {
  readonly path: string
  readonly why: string
  readonly fix?: string
}

/**
 * Refuses arguments that a function does not take, before it does anything: `R1090` with the name of the function, the
 * argument or the part of it, what was given and what is expected.
 */
export function checkArguments(call: string, given: Readonly<Record<string, readonly [value: unknown, form: Form]>>): void {
  for (const [name, [value, form]] of Object.entries(given)) {
    const found = form.mismatch(value)
    if (found === undefined) continue
    const { path, why, fix = `give ${form.what}` } = found
    throw faults.make('R1090', `${call}: ${name}${path} ${why}`, { path: `${name}${path}`, fix })
  }
}

function form(what: string, fits: (value: unknown) => boolean): Form {
  return {
    what,
    mismatch: (value) =>
      fits(value) ? undefined : { path: '', why: `must be ${what}, and is ${describeValue(value)}`, fix: `give ${what}` },
  }
}

export const TEXT = form('text', (value) => typeof value === 'string')
export const NUMBER = form('a number', (value) => typeof value === 'number')
export const FLAG = form('true or false', (value) => typeof value === 'boolean')
export const FUNCTION = form('a function', (value) => typeof value === 'function')
export const OBJECT = form('an object', isObjectValue)
/** An object of named values: no list, and no instance of a class. */
export const NAMED_VALUES = form('an object of named values', isNamedValues)
export const ANYTHING = form('anything', () => true)

/** An object with functions of these names. */
export function objectWith(what: string, ...methods: readonly string[]): Form {
  const all = `${what}, which has ${methods.map((name) => `${name}()`).join(' and ')}`
  return form(all, (value) => isObjectValue(value) && methods.every((name) => typeof Reflect.get(value, name) === 'function'))
}

/** An object of a class. */
export function instanceOf(what: string, constructor: abstract new (...args: never[]) => unknown): Form {
  return form(what, (value) => value instanceof constructor)
}

/** One of a few values. */
export function oneOf(...values: readonly (string | boolean)[]): Form {
  return form(values.map((value) => JSON.stringify(value)).join(' or '), (value) => values.some((one) => one === value))
}

/** A value of any of these forms. */
export function anyOf(...forms: readonly Form[]): Form {
  return form(forms.map(({ what }) => what).join(' or '), (value) => forms.some((one) => one.mismatch(value) === undefined))
}

/** A value that may be left out. */
export function optional(one: Form): Form {
  return { what: `${one.what} or nothing`, mismatch: (value) => (value === undefined ? undefined : one.mismatch(value)) }
}

export function listOf(one: Form): Form {
  const list = form(`a list, each of it ${one.what}`, Array.isArray)
  return {
    what: list.what,
    mismatch: (value) => {
      const other = list.mismatch(value)
      if (other !== undefined) return other
      const parts = value as readonly unknown[]
      const at = parts.findIndex((part) => one.mismatch(part) !== undefined)
      return at < 0 ? undefined : first([[at, parts[at]]], (key) => `[${key}]`, one)
    },
  }
}

/** Values of one form by name. */
export function recordOf(one: Form): Form {
  return {
    what: `an object of named values, each ${one.what}`,
    mismatch: (value) => NAMED_VALUES.mismatch(value) ?? first(Object.entries(value as object), (key) => `.${key}`, one),
  }
}

/** Options by name, all of which may be left out; an unknown name is refused, with the one that was meant. */
export function options(known: Readonly<Record<string, Form>>): Form {
  return {
    what: 'an object of options',
    mismatch: (value) =>
      NAMED_VALUES.mismatch(value) ?? unknownOption(value as object, Object.keys(known)) ?? wrongOption(value as object, known),
  }
}

/** Named values of which each must have its form; there may be others. */
export function shape(what: string, fields: Readonly<Record<string, Form>>): Form {
  const parts = Object.entries(fields)
  return {
    what,
    mismatch: (value) => {
      if (!isObjectValue(value)) return { path: '', why: `must be ${what}, and is ${describeValue(value)}` }
      for (const [key, one] of parts) {
        const found = one.mismatch(Reflect.get(value, key))
        if (found !== undefined) return { ...found, path: `.${key}${found.path}` }
      }
      return undefined
    },
  }
}

function wrongOption(value: object, known: Readonly<Record<string, Form>>): Mismatch | undefined {
  const given = Object.entries(value).filter(([, one]) => one !== undefined)
  return first(
    given,
    (key) => `.${key}`,
    (key) => known[key],
  )
}

function unknownOption(value: object, known: readonly string[]): Mismatch | undefined {
  const name = Object.keys(value).find((key) => !known.includes(key))
  if (name === undefined) return undefined
  const guess = suggest(name, known)
  const why = `has ${quote(name)}, which is not known${guess === undefined ? '' : `; did you mean ${quote(guess)}?`}`
  return { path: '', why, fix: guess === undefined ? `write one of ${known.join(', ')}` : `write ${quote(guess)}` }
}

function first<Key>(
  parts: Iterable<readonly [Key, unknown]>,
  step: (key: Key) => string,
  of: Form | ((key: Key) => Form | undefined),
): Mismatch | undefined {
  for (const [key, value] of parts) {
    const found = (typeof of === 'function' ? of(key) : of)?.mismatch(value)
    if (found !== undefined) return { ...found, path: `${step(key)}${found.path}` }
  }
  return undefined
}

function isObjectValue(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isNamedValues(value: unknown): boolean {
  if (!isObjectValue(value) || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  switch (typeof value) {
    case 'string':
      return `the text ${quote(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'undefined':
      return String(value)
    case 'function':
      return 'a function'
    case 'symbol':
      return 'a symbol'
    default:
      return value === null ? 'null' : 'another object'
  }
}
