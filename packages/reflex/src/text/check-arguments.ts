import { faults } from './faults.ts'
import { quote } from './printable.ts'
import { suggest } from './suggest.ts'

/** The expected form of an argument. Programs without types can pass any value. */
export interface Form {
  /** The name of the form in messages: `text`, `a list of texts`. */
  readonly what: string
  /** Returns the first part that does not have the form; undefined if the whole value has it. */
  mismatch(value: unknown): Mismatch | undefined
}

/** A part of a value that does not have the expected form: its path inside the value, such as `.policy[0].allow`, and what is wrong. */
interface Mismatch {
  readonly path: string
  readonly why: string
  readonly fix?: string
}

/**
 * Checks the arguments of a function before the function does anything. Throws `R1090` with the name of the function, the argument or the
 * part of it, the given value and the expected form.
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
      fits(value) ? undefined : { path: '', why: `must be ${what}, but is ${describeValue(value)}`, fix: `give ${what}` },
  }
}

export const TEXT = form('text', (value) => typeof value === 'string')
export const NUMBER = form('a number', (value) => typeof value === 'number')
export const FLAG = form('true or false', (value) => typeof value === 'boolean')
export const FUNCTION = form('a function', (value) => typeof value === 'function')
export const OBJECT = form('an object', isObjectValue)
/** An object of named values: not a list and not an instance of a class. */
export const NAMED_VALUES = form('an object of named values', isNamedValues)
export const ANYTHING = form('anything', () => true)

/** Returns the form of an object that has functions with these names. */
export function objectWith(what: string, ...methods: readonly string[]): Form {
  const all = `${what}, which has ${methods.map((name) => `${name}()`).join(' and ')}`
  return form(all, (value) => isObjectValue(value) && methods.every((name) => typeof Reflect.get(value, name) === 'function'))
}

/** Returns the form of an instance of a class. */
export function instanceOf(what: string, constructor: abstract new (...args: never[]) => unknown): Form {
  return form(what, (value) => value instanceof constructor)
}

/** Returns the form of a value that equals one of the given values. */
export function oneOf(...values: readonly (string | boolean | null)[]): Form {
  return form(values.map((value) => JSON.stringify(value)).join(' or '), (value) => values.some((one) => one === value))
}

/** Returns the form of a value that has any of the given forms. */
export function anyOf(...forms: readonly Form[]): Form {
  return form(forms.map(({ what }) => what).join(' or '), (value) => forms.some((one) => one.mismatch(value) === undefined))
}

/** Returns the form of a value that can be left out. */
export function optional(one: Form): Form {
  return { what: `${one.what} or nothing`, mismatch: (value) => (value === undefined ? undefined : one.mismatch(value)) }
}

export function listOf(one: Form): Form {
  const list = form(`a list in which each item is ${one.what}`, Array.isArray)
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

/** Returns the form of an object whose values all have one form. */
export function recordOf(one: Form): Form {
  return {
    what: `an object of named values, each ${one.what}`,
    mismatch: (value) => NAMED_VALUES.mismatch(value) ?? first(Object.entries(value as object), (key) => `.${key}`, one),
  }
}

/** Returns the form of an object of options. Each option can be left out. An unknown name is refused, with the nearest known name. */
export function options(known: Readonly<Record<string, Form>>): Form {
  return {
    what: 'an object of options',
    mismatch: (value) =>
      NAMED_VALUES.mismatch(value) ?? unknownOption(value as object, Object.keys(known)) ?? wrongOption(value as object, known),
  }
}

/** Returns the form of an object whose named fields each have a form. Other fields are allowed. */
export function shape(what: string, fields: Readonly<Record<string, Form>>): Form {
  const parts = Object.entries(fields)
  return {
    what,
    mismatch: (value) => {
      if (!isObjectValue(value)) return { path: '', why: `must be ${what}, but is ${describeValue(value)}` }
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
  const why = `has the unknown option ${quote(name)}${guess === undefined ? '' : `; did you mean ${quote(guess)}?`}`
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

/** Returns a value as a message names it. Never throws, whatever the value is. */
export function describeValue(value: unknown): string {
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
