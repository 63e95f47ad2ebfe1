import { isList, isObject, type Json, type Validator, type ValidatorResult } from '../kernel/index.ts'

/** What one argument must be. `read` answers undefined for a value that it refuses. */
export interface Field<T> {
  /** For messages: `a whole number from 1 to 100`. */
  readonly what: string
  /** What counts when the argument is absent or null; a field without one is required. */
  readonly fallback?: { readonly value: T }
  read(value: Json): T | undefined
}

type Values<Fields> = { readonly [Key in keyof Fields]: Fields[Key] extends Field<infer T> ? T : never }

/** A validator of named arguments that tells their types. */
export interface Arguments<T> extends Validator {
  readonly '~standard': Validator['~standard'] & { readonly types?: { readonly input: unknown; readonly output: T } | undefined }
}

/** Named arguments: each known, each of its kind. An argument that is null counts as absent, so that a board key may fill it. */
export function namedArguments<const Fields extends Readonly<Record<string, Field<unknown>>>>(fields: Fields): Arguments<Values<Fields>> {
  return { '~standard': { version: 1, vendor: 'reflex', validate: (value) => check(fields, value) } }
}

function check(fields: Readonly<Record<string, Field<unknown>>>, value: unknown): ValidatorResult {
  if (!isObject(value)) return { issues: [{ message: 'named arguments, an object, belong here' }] }
  const issues: { message: string }[] = []
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name))
      issues.push({ message: `no argument ${JSON.stringify(name)}; it takes ${Object.keys(fields).join(', ')}` })
  }
  const values = Object.entries(fields).map(([name, field]): [string, unknown] => {
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    if (given === undefined || given === null) {
      if (field.fallback === undefined) issues.push({ message: `${name} is missing: ${field.what}` })
      return [name, field.fallback?.value]
    }
    const read = field.read(given)
    if (read === undefined) issues.push({ message: `${name} must be ${field.what}` })
    return [name, read]
  })
  return issues.length > 0 ? { issues } : { value: Object.fromEntries(values) }
}

/** Text without a zero byte. */
export function text(what = 'text'): Field<string> {
  return { what, read: (value) => (typeof value === 'string' && isPlain(value) ? value : undefined) }
}

/** A path, or another name that is not empty. */
export function path(): Field<string> {
  return {
    what: 'a path',
    read: (value) => (typeof value === 'string' && value !== '' && value.length <= 4096 && isPlain(value) ? value : undefined),
  }
}

function isPlain(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed()
}

/** A whole number between two bounds. */
export function count(least: number, most: number): Field<number> {
  return {
    what: `a whole number from ${least} to ${most}`,
    read: (value) => (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : undefined),
  }
}

/** True or false. */
export function flag(): Field<boolean> {
  return { what: 'true or false', read: (value) => (typeof value === 'boolean' ? value : undefined) }
}

/** One of a few words. */
export function word<const Word extends string>(...words: readonly Word[]): Field<Word> {
  return { what: words.join(' or '), read: (value) => words.find((known) => known === value) }
}

/** A list of texts. */
export function texts(what = 'a list of texts'): Field<readonly string[]> {
  return {
    what,
    read: (value) =>
      isList(value) && value.every((item) => typeof item === 'string' && isPlain(item)) ? (value as readonly string[]) : undefined,
  }
}

/** A field that may be absent: then this counts. */
export function or<T, const F>(field: Field<T>, fallback: F): Field<T | F> {
  return { ...field, fallback: { value: fallback } }
}
