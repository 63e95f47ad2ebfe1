import type { z } from 'zod'
import type { Fault, FaultDetails } from '../kernel/index.ts'
import { faults } from './faults.ts'
import { quote, quoteAll } from './printable.ts'
import type { AttributePart, PlaceOptions } from './json.ts'
import { type Path, pathText, valueAt } from './path.ts'
import { allowedKeys } from './schema-walk.ts'
import { didYouMean, suggest } from './suggest.ts'

/** Returns the place of a value: `details` of a `JsonText`, or `pathOnly` for a value without a text. */
export type Locator = (path: Path, options?: PlaceOptions) => FaultDetails

/** Returns only the path, for a value that was never text. */
export const pathOnly: Locator = (path) => (path.length === 0 ? {} : { path: pathText(path) })

export interface SchemaOptions {
  readonly locate?: Locator | undefined
  /** The code of a value with a wrong shape in the rules of the caller. */
  readonly rule?: string | undefined
  /** Returns the fix for an unknown attribute that is similar to no known attribute. */
  readonly advise?: ((path: Path, key: string) => string | undefined) | undefined
}

/**
 * Checks the shape of a value. Returns one fault for each mistake, with its place.
 *
 * `R1011` unknown attribute, `R1012` missing attribute, `R1013` wrong type, `R1014` not one of the allowed words, `R1015` out of bounds. A
 * misspelt attribute is one mistake, although one attribute is unknown and another is missing. A choice between shapes is checked by its
 * discriminator first (reference workflow D14).
 */
export function checkSchema(schema: z.core.$ZodType, value: unknown, options: SchemaOptions = {}): Fault[] {
  const result = parse(schema, value)
  const report = new Report(schema, value, options)
  for (const issue of result) report.add(issue, [])
  return report.faults()
}

function parse(schema: z.core.$ZodType, value: unknown): readonly z.core.$ZodIssue[] {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) throw new TypeError('the schema of a program must be synchronous')
  return (result.issues ?? []) as readonly z.core.$ZodIssue[]
}

interface Mistake {
  readonly code: Parameters<typeof faults.make>[0]
  readonly message: string
  readonly path: Path
  readonly part?: AttributePart
  readonly note?: string | undefined
  readonly fix?: string | undefined
}

class Report {
  readonly #schema: z.core.$ZodType
  readonly #value: unknown
  readonly #options: SchemaOptions
  readonly #mistakes: Mistake[] = []
  /** Missing keys, each with its allowed words, by the path of the object that needs them. */
  readonly #missing = new Map<string, { readonly owner: Path; readonly keys: Map<string, readonly unknown[]> }>()
  readonly #unknown: { path: Path; key: string }[] = []

  constructor(schema: z.core.$ZodType, value: unknown, options: SchemaOptions) {
    this.#schema = schema
    this.#value = value
    this.#options = options
  }

  add(issue: z.core.$ZodIssue, base: Path): void {
    const path = [...base, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))]
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) this.#unknown.push({ path, key })
    } else if (this.#isMissing(path)) {
      this.#addMissing(path, issue.code === 'invalid_union' ? discriminators(issue) : issue.code === 'invalid_value' ? issue.values : [])
    } else if (issue.code === 'invalid_union') {
      this.#union(issue, path)
    } else {
      this.#mistakes.push(this.#mistakeOf(issue, path))
    }
  }

  faults(): Fault[] {
    const unknownKeys = this.#unknown.map((unknown) => this.#unknownKey(unknown.path, unknown.key))
    const missing = [...this.#missing.values()].flatMap(({ owner, keys }) => [...keys].map(([key, words]) => missingKey(owner, key, words)))
    const locate = this.#options.locate ?? pathOnly
    const { rule } = this.#options
    return [...this.#mistakes, ...unknownKeys, ...missing].map(({ code, message, path, part, note, fix }) =>
      faults.make(code, message, {
        ...(rule === undefined ? {} : { rule }),
        ...locate(path, { part, note }),
        ...(fix === undefined ? {} : { fix }),
      }),
    )
  }

  #addMissing(path: Path, words: readonly unknown[]): void {
    const owner = path.slice(0, -1)
    const text = pathText(owner)
    const entry = this.#missing.get(text) ?? { owner, keys: new Map<string, readonly unknown[]>() }
    entry.keys.set(String(path.at(-1)), words)
    this.#missing.set(text, entry)
  }

  #isMissing(path: Path): boolean {
    const key = path.at(-1)
    if (key === undefined) return false
    const owner = valueAt(this.#value, path.slice(0, -1))
    return typeof owner === 'object' && owner !== null && valueAt(owner, [key]) === undefined
  }

  #union(issue: z.core.$ZodIssueInvalidUnion, path: Path): void {
    const found = valueAt(this.#value, path)
    if (issue.discriminator !== undefined) {
      this.#mistakes.push(notAllowed(found, path, discriminators(issue)))
      return
    }
    const expected = issue.errors.map(onlyType)
    if (expected.every((name) => name !== undefined)) {
      this.#mistakes.push(wrongType(found, path, joinNames(expected)))
      return
    }
    const nearest = issue.errors.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)[0]
    for (const error of nearest ?? []) this.add(error, path)
  }

  #mistakeOf(issue: z.core.$ZodIssue, path: Path): Mistake {
    const found = valueAt(this.#value, path)
    if (issue.code === 'invalid_type') return wrongType(found, path, typeName(issue.expected))
    if (issue.code === 'invalid_value') return notAllowed(found, path, issue.values)
    return { code: 'R1015', message: `${pathName(path)}: ${issue.message}`, path }
  }

  #unknownKey(path: Path, key: string): Mistake {
    const present = valueAt(this.#value, path) as object
    const missing = this.#missing.get(pathText(path))?.keys ?? new Map<string, readonly unknown[]>()
    const allowed = allowedKeys(this.#schema, this.#value, path).filter((name) => !Object.hasOwn(present, name))
    const guess = suggest(key, missing.keys()) ?? suggest(key, allowed)
    if (guess !== undefined) missing.delete(guess)
    const fix = guess === undefined ? (this.#options.advise?.(path, key) ?? removal(allowed)) : `write ${quote(guess)}`
    const place = path.length === 0 ? '' : ` in ${pathText(path)}`
    return { code: 'R1011', message: `no attribute ${quote(key)}${place}`, path: [...path, key], part: 'key', note: didYouMean(guess), fix }
  }
}

function missingKey(owner: Path, key: string, words: readonly unknown[]): Mistake {
  const name = quote(key)
  const fix = words.length === 0 ? `add ${name}` : `add ${name}: one of ${quoteAll(words.map(String), 12)}`
  return { code: 'R1012', message: `${pathName(owner)} has no ${name}`, path: owner, note: `${name} is missing`, fix }
}

/** Returns the type that an alternative expects, if a wrong type is its only issue. */
function onlyType(issues: readonly z.core.$ZodIssue[]): string | undefined {
  const [issue] = issues
  return issues.length === 1 && issue?.code === 'invalid_type' && issue.path.length === 0 ? typeName(issue.expected) : undefined
}

function wrongType(found: unknown, path: Path, expected: string): Mistake {
  return { code: 'R1013', message: `${pathName(path)} expects ${expected}, found ${typeOf(found)}`, path, fix: `write ${expected}` }
}

function notAllowed(found: unknown, path: Path, allowed: readonly unknown[]): Mistake {
  const words = allowed.map(String)
  const guess = typeof found === 'string' ? suggest(found, words) : undefined
  const shown = typeof found === 'string' ? quote(found) : typeOf(found)
  const fix = guess === undefined ? `write one of ${quoteAll(words, 12)}` : `write ${quote(guess)}`
  return { code: 'R1014', message: `${pathName(path)} cannot be ${shown}`, path, note: didYouMean(guess), fix }
}

function discriminators(issue: z.core.$ZodIssueInvalidUnion): readonly unknown[] {
  return 'options' in issue && Array.isArray(issue.options) ? issue.options : []
}

function removal(allowed: readonly string[]): string {
  return allowed.length === 0 ? 'remove it' : `remove it; known attributes here: ${quoteAll(allowed)}`
}

function pathName(path: Path): string {
  return path.length === 0 ? 'the top level' : pathText(path)
}

function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length))
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  undefined: 'nothing',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  function: 'a function',
}

/** Returns the type of a value as messages name it: `a string`, `true`, `an object`. */
function typeOf(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return 'a list'
  return NAMES[typeof value] ?? `a ${typeof value}`
}

/** Returns the expected type of a schema as messages name it. */
function typeName(expected: string): string {
  return NAMES[expected] ?? `a ${expected}`
}

/** Joins names of types: `a string, true, false or null`. */
function joinNames(names: readonly string[]): string {
  const single = names.flatMap((name) => name.split(' or '))
  const last = single.at(-1) ?? ''
  return single.length < 2 ? last : `${single.slice(0, -1).join(', ')} or ${last}`
}
