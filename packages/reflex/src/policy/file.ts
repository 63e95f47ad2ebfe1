import { causeOf, type FaultDetails, isList, isObject, type Json } from '../kernel/index.ts'
import { readPattern } from './capability.ts'
import { faults } from './faults.ts'

/** What an operator allows and denies beside what the level of trust grants. A denial wins over every grant. */
export interface PolicyFile {
  /** Where it was read, for messages. */
  readonly file?: string | undefined
  readonly allow: readonly string[]
  readonly deny: readonly string[]
}

const FIELDS = ['allow', 'deny']

/**
 * Reads a `*.policy.json`. Anything that is not known is refused (`R3010` to `R3012`), with the place where JSON tells
 * it and else the path: a rule that was ignored would be a right that nobody gave.
 */
export function readPolicy(text: string, file?: string): PolicyFile {
  const value = parse(text, file)
  if (!isObject(value)) throw faults.make('R3011', 'the policy is not an object', { file })
  for (const field of Object.keys(value)) {
    if (FIELDS.includes(field) || field === '$schema') continue
    throw faults.make('R3011', `the policy has ${JSON.stringify(field)}; it can have "allow" and "deny"`, {
      file,
      path: field,
      fix: 'correct or remove it',
    })
  }
  return { file, allow: patterns(value.allow, 'allow', file), deny: patterns(value.deny, 'deny', file) }
}

function parse(text: string, file: string | undefined): Json {
  try {
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text) as Json
  } catch (thrown) {
    const cause = causeOf(thrown)
    const message = typeof cause === 'string' ? cause : cause.message
    throw faults.make('R3010', 'the policy is not JSON', { file, ...placeIn(message), cause: message })
  }
}

/** The line and column that the parser names, if it does. */
function placeIn(message: string): FaultDetails {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? []
  return line === undefined ? {} : { line: Number(line), column: Number(column) }
}

function patterns(list: Json | undefined, field: string, file: string | undefined): readonly string[] {
  if (list === undefined) return []
  if (!isList(list)) throw faults.make('R3011', `"${field}" is not a list of capabilities`, { file, path: field })
  return list.map((text, i) => checkPattern(text, `${field}[${i}]`, file))
}

/** A grant or a denial as text, if it can be understood; else the fault `R3012`. */
export function checkPattern(text: unknown, path: string, file?: string): string {
  const read = typeof text === 'string' ? readPattern(text) : { problem: 'it is not text' }
  if (typeof text === 'string' && !('problem' in read)) return text
  const shown = typeof text === 'string' ? text : JSON.stringify(text)
  throw faults.make('R3012', `${path} is no capability, ${'problem' in read ? read.problem : ''}: ${shown}`, { file, path })
}
