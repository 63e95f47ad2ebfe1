import { faults } from './faults.ts'
import { quote } from './harmless.ts'
import { suggest } from './suggest.ts'

/** The form of a value that a program without types may get wrong. */
export interface Form {
  /** In words, for messages: `text`, `a list of texts`. */
  readonly what: string
  /** The first part that does not have the form; undefined where all of it has. */
  misfit(value: unknown): Misfit | undefined
}

/** A part of a value that does not have its form: its path inside, such as `.policy[0].allow`, and what is wrong. */
interface Misfit {
  readonly path: string
  readonly why: string
  readonly fix?: string
}

/**
 * Refuses arguments that a function does not take, before it does anything: `R1090` with the name of the function, the
 * argument or the part of it, what was given and what is expected.
 */
export function demand(call: string, given: Readonly<Record<string, readonly [value: unknown, form: Form]>>): void {
  for (const [name, [value, form]] of Object.entries(given)) {
    const found = form.misfit(value)
    if (found === undefined) continue
    const { path, why, fix = `give ${form.what}` } = found
    throw faults.make('R1090', `${call}: ${name}${path} ${why}`, { path: `${name}${path}`, fix })
  }
}

function form(what: string, fits: (value: unknown) => boolean): Form {
  return {
    what,
    misfit: (value) => (fits(value) ? undefined : { path: '', why: `must be ${what}, and is ${inWords(value)}`, fix: `give ${what}` }),
  }
}

export const TEXT = form('text', (value) => typeof value === 'string')
export const NUMBER = form('a number', (value) => typeof value === 'number')
export const FLAG = form('true or false', (value) => typeof value === 'boolean')
export const FUNCTION = form('a function', (value) => typeof value === 'function')
export const OBJECT = form('an object', isThing)
/** An object of named values: no list, and no instance of a class. */
export const NAMED_VALUES = form('an object of named values', isNamed)
export const ANYTHING = form('anything', () => true)

/** An object with functions of these names. */
export function having(what: string, ...methods: readonly string[]): Form {
  const all = `${what}, which has ${methods.map((name) => `${name}()`).join(' and ')}`
  return form(all, (value) => isThing(value) && methods.every((name) => typeof Reflect.get(value, name) === 'function'))
}

/** An object of a class. */
export function instance(what: string, constructor: abstract new (...args: never[]) => unknown): Form {
  return form(what, (value) => value instanceof constructor)
}

/** One of a few values. */
export function oneOf(...values: readonly (string | boolean)[]): Form {
  return form(values.map((value) => JSON.stringify(value)).join(' or '), (value) => values.some((one) => one === value))
}

/** A value of any of these forms. */
export function either(...forms: readonly Form[]): Form {
  return form(forms.map(({ what }) => what).join(' or '), (value) => forms.some((one) => one.misfit(value) === undefined))
}

/** A value that may be left out. */
export function optional(one: Form): Form {
  return { what: `${one.what} or nothing`, misfit: (value) => (value === undefined ? undefined : one.misfit(value)) }
}

export function listOf(one: Form): Form {
  const list = form(`a list, each of it ${one.what}`, Array.isArray)
  return {
    what: list.what,
    misfit: (value) => {
      const other = list.misfit(value)
      if (other !== undefined) return other
      const parts = value as readonly unknown[]
      const at = parts.findIndex((part) => one.misfit(part) !== undefined)
      return at < 0 ? undefined : first([[at, parts[at]]], (key) => `[${key}]`, one)
    },
  }
}

/** Values of one form by name. */
export function recordOf(one: Form): Form {
  return {
    what: `an object of named values, each ${one.what}`,
    misfit: (value) => NAMED_VALUES.misfit(value) ?? first(Object.entries(value as object), (key) => `.${key}`, one),
  }
}

/** Options by name, all of which may be left out; an unknown name is refused, with the one that was meant. */
export function options(known: Readonly<Record<string, Form>>): Form {
  return {
    what: 'an object of options',
    misfit: (value) =>
      NAMED_VALUES.misfit(value) ?? unknownOption(value as object, Object.keys(known)) ?? wrongOption(value as object, known),
  }
}

/** Named values of which each must have its form; there may be others. */
export function shape(what: string, fields: Readonly<Record<string, Form>>): Form {
  const parts = Object.entries(fields)
  return {
    what,
    misfit: (value) => {
      if (!isThing(value)) return { path: '', why: `must be ${what}, and is ${inWords(value)}` }
      for (const [key, one] of parts) {
        const found = one.misfit(Reflect.get(value, key))
        if (found !== undefined) return { ...found, path: `.${key}${found.path}` }
      }
      return undefined
    },
  }
}

function wrongOption(value: object, known: Readonly<Record<string, Form>>): Misfit | undefined {
  const given = Object.entries(value).filter(([, one]) => one !== undefined)
  return first(
    given,
    (key) => `.${key}`,
    (key) => known[key],
  )
}

function unknownOption(value: object, known: readonly string[]): Misfit | undefined {
  const name = Object.keys(value).find((key) => !known.includes(key))
  if (name === undefined) return undefined
  const meant = suggest(name, known)
  const why = `has ${quote(name)}, which is not known${meant === undefined ? '' : `; did you mean ${quote(meant)}?`}`
  return { path: '', why, fix: meant === undefined ? `write one of ${known.join(', ')}` : `write ${quote(meant)}` }
}

function first<Key>(
  parts: Iterable<readonly [Key, unknown]>,
  step: (key: Key) => string,
  of: Form | ((key: Key) => Form | undefined),
): Misfit | undefined {
  for (const [key, value] of parts) {
    const found = (typeof of === 'function' ? of(key) : of)?.misfit(value)
    if (found !== undefined) return { ...found, path: `${step(key)}${found.path}` }
  }
  return undefined
}

function isThing(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isNamed(value: unknown): boolean {
  if (!isThing(value) || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

function inWords(value: unknown): string {
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
