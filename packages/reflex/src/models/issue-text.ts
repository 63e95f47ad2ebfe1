import type { z } from 'zod'
import { isList, isObject } from '../kernel/index.ts'
import type { SchemaIssue } from '../text/json-schema/check.ts'

type Issue = z.core.$ZodIssue

/** The most problems in a message; a longer list does not help a model that made many mistakes. */
const MOST_PROBLEMS = 8
/** The most characters of a value in a message. */
const MOST_VALUE = 60
/** The most characters of one problem: its keys come from the author of the value. */
const LONGEST = 600

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  object: 'an object',
  record: 'an object',
  array: 'a list',
}

/**
 * Describes the problems of a value in plain words: `the answer's edge is "BOGUS", none of "full", "part"`. `subject`
 * names the value.
 */
export function issueText(issues: readonly Issue[], value: unknown, subject: string): string {
  return joinedProblems(issues, (issue) => {
    if (issue.code === 'custom') return issue.path.length === 0 ? issue.message : `${placeOf(issue.path, subject)}: ${issue.message}`
    return `${placeOf(issue.path, subject)} ${issuePredicate(issue, value)}`
  })
}

/** Describes misfits in the same form. */
export function misfitText(misfits: readonly SchemaIssue[], subject: string): string {
  return joinedProblems(misfits, ({ path, message }) => `${placeOf(path, subject)} ${message}`)
}

/** Joins the first few problems, each once. */
function joinedProblems<Item>(items: readonly Item[], words: (item: Item) => string): string {
  const all = new Set<string>()
  for (const item of items) {
    if (all.size === MOST_PROBLEMS) break
    all.add(clipped(words(item), LONGEST))
  }
  return [...all].join('; ')
}

function placeOf(path: readonly PropertyKey[], subject: string): string {
  return path.length === 0 ? subject : `${subject}${subject.endsWith('s') ? "'" : "'s"} ${path.map(String).join('.')}`
}

function issuePredicate(issue: Issue, root: unknown): string {
  if (issue.code === 'unrecognized_keys')
    return `has ${issue.keys.map(show).join(', ')}, which ${issue.keys.length === 1 ? 'is not a key' : 'are not keys'} of it`
  const value = issue.path.reduce<unknown>(memberOf, root)
  return value === undefined ? 'is missing' : problemOf(issue, value)
}

/** Describes a problem as the rest of a sentence that starts with the place. */
function problemOf(issue: Issue, value: unknown): string {
  const is = `is ${show(value)}`
  switch (issue.code) {
    case 'invalid_value':
      return noneOf(is, issue.values)
    case 'invalid_type':
      return `${is}, not ${typeText(issue.expected)}`
    case 'invalid_union':
      return unionText(is, issue.errors)
    case 'too_small':
    case 'too_big':
      return sizeText(issue, value)
    case 'not_multiple_of':
      return `${is}, not a multiple of ${issue.divisor}`
    case 'invalid_format':
      return `${is}, which ${issue.format === 'regex' ? `does not match ${String(issue.pattern)}` : `is not a ${issue.format}`}`
    default:
      return `${is}, which does not fit (${issue.message})`
  }
}

function noneOf(is: string, values: readonly unknown[]): string {
  const words = values.map(show).join(', ')
  return values.length === 1 ? `${is}, not ${words}` : `${is}, none of ${words}`
}

/** Describes a union as one problem if each of its forms is a value or a type. */
function unionText(is: string, errors: readonly (readonly Issue[])[]): string {
  const firsts = errors.flatMap(([first, ...more]) => (first === undefined || more.length > 0 || first.path.length > 0 ? [] : [first]))
  const values = firsts.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values : []))
  const types = firsts.flatMap((issue) => (issue.code === 'invalid_type' ? [typeText(issue.expected)] : []))
  if (errors.length > 0 && values.length === errors.length) return noneOf(is, values)
  if (errors.length > 0 && types.length === errors.length) return `${is}, not ${types.join(' or ')}`
  return `${is}, which matches none of the allowed forms`
}

function sizeText(issue: Issue & { readonly code: 'too_small' | 'too_big' }, value: unknown): string {
  const small = issue.code === 'too_small'
  const limit = small ? issue.minimum : issue.maximum
  if (typeof value === 'string') return `has ${value.length} characters, ${small ? 'fewer' : 'more'} than ${limit}`
  if (isList(value)) return `has ${value.length} items, ${small ? 'fewer' : 'more'} than ${limit}`
  if (issue.inclusive === false) return `is ${show(value)}, not ${small ? 'more' : 'less'} than ${limit}`
  return `is ${show(value)}, ${small ? 'less' : 'more'} than ${limit}`
}

function typeText(expected: string): string {
  return Object.hasOwn(TYPES, expected) ? (TYPES[expected] ?? expected) : expected
}

function show(value: unknown): string {
  if (isList(value)) return 'a list'
  if (isObject(value)) return 'an object'
  const text = JSON.stringify(value) ?? String(value)
  return clipped(text, MOST_VALUE)
}

function clipped(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`.toWellFormed()
}

function memberOf(value: unknown, key: PropertyKey): unknown {
  if (isList(value)) return value[Number(key)]
  return isObject(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined
}
