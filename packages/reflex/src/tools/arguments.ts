import { isList, isObject, type Json, type JsonObject, type Validator, type ValidatorResult } from '../kernel/index.ts'

/** The rule for one argument. `read` returns undefined for a value that it refuses. */
export interface Field<T> {
  /** The description for messages: `a whole number from 1 to 100`. */
  readonly what: string
  /** The JSON Schema, for models that call the tool. */
  readonly schema: JsonObject
  /** The value that an absent or null argument gets; a field without one is required. */
  readonly fallback?: { readonly value: T }
  read(value: Json): T | undefined
}

type Values<Fields> = { readonly [Key in keyof Fields]: Fields[Key] extends Field<infer T> ? T : never }

/** A validator of named arguments with their types, and with their JSON Schema as in Standard JSON Schema. */
export interface Arguments<T> extends Validator {
  readonly '~standard': Validator['~standard'] & {
    readonly types?: { readonly input: unknown; readonly output: T } | undefined
    readonly jsonSchema: { input(): JsonObject }
  }
}

/**
 * Creates a validator of named arguments that refuses unknown ones. An argument that is null counts as absent, so that
 * a board key can fill it.
 */
export function namedArguments<const Fields extends Readonly<Record<string, Field<unknown>>>>(fields: Fields): Arguments<Values<Fields>> {
  return {
    '~standard': { version: 1, vendor: 'reflex', validate: (value) => check(fields, value), jsonSchema: { input: () => schemaOf(fields) } },
  }
}

function schemaOf(fields: Readonly<Record<string, Field<unknown>>>): JsonObject {
  const entries = Object.entries(fields)
  const properties = entries.map(([name, { schema, what }]) => [name, { ...schema, description: what }] as const)
  const required = entries.flatMap(([name, { fallback }]) => (fallback === undefined ? [name] : []))
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false }
}

function check(fields: Readonly<Record<string, Field<unknown>>>, value: unknown): ValidatorResult {
  if (!isObject(value)) return { issues: [{ message: 'the arguments must be an object of named arguments' }] }
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
  return { what, schema: { type: 'string' }, read: (value) => (typeof value === 'string' && isPlain(value) ? value : undefined) }
}

/** A path or another name that is not empty. */
export function path(): Field<string> {
  return {
    what: 'a path',
    schema: { type: 'string' },
    read: (value) => (typeof value === 'string' && value !== '' && value.length <= 4096 && isPlain(value) ? value : undefined),
  }
}

/** A path of a file or folder. A leading `~/` or `$HOME/` stands for the home folder, if it is known. */
export function filePath(home: string | undefined): Field<string> {
  const plain = path()
  return {
    ...plain,
    read(value) {
      const read = plain.read(value)
      return home === undefined ? read : read?.replace(/^(?:~|\$HOME|\$\{HOME\})(?=$|\/)/, () => home)
    },
  }
}

function isPlain(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed()
}

/** A whole number within two bounds, both included. */
export function count(least: number, most: number): Field<number> {
  return {
    what: `a whole number from ${least} to ${most}`,
    schema: { type: 'integer', minimum: least, maximum: most },
    read: (value) => (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : undefined),
  }
}

/** True or false. */
export function flag(): Field<boolean> {
  return { what: 'true or false', schema: { type: 'boolean' }, read: (value) => (typeof value === 'boolean' ? value : undefined) }
}

/** One of a few words. */
export function word<const Word extends string>(...words: readonly Word[]): Field<Word> {
  return { what: words.join(' or '), schema: { type: 'string', enum: words }, read: (value) => words.find((known) => known === value) }
}

/** A list of texts. */
export function texts(what = 'a list of texts'): Field<readonly string[]> {
  return {
    what,
    schema: { type: 'array', items: { type: 'string' } },
    read: (value) =>
      isList(value) && value.every((item) => typeof item === 'string' && isPlain(item)) ? (value as readonly string[]) : undefined,
  }
}

/** Makes a field optional: an absent argument gets the default. */
export function withDefault<T, const F>(field: Field<T>, fallback: F): Field<T | F> {
  return { ...field, fallback: { value: fallback } }
}
