import { createContext, Script } from 'node:vm'
import type { Fault } from '../kernel/index.ts'
import { faults } from './faults.ts'

/** A regular expression of JavaScript, as text. */
export interface TextPattern {
  readonly match: string
  readonly flags?: string | undefined
}

/** All matching of one action together, in milliseconds of this process. */
const LIMIT = 500

// Both run apart from everything else, so that an expression that takes for ever can be stopped.
const FIRST = new Script(`{
  const { texts, patterns } = JSON.parse(input)
  const expressions = patterns.map(({ match, flags }) => new RegExp(match, flags))
  JSON.stringify(texts.map((text) => expressions.findIndex((expression) => expression.test(text))))
}`)
const EVERY = new Script(`{
  const { texts, patterns: [{ match, flags }], most } = JSON.parse(input)
  const found = []
  for (const text of texts) {
    for (const result of text.matchAll(new RegExp(match, flags + 'g'))) {
      if (found.length < most) found.push(result[1] ?? result[0])
    }
  }
  JSON.stringify(found)
}`)

/** What is wrong with a regular expression, or undefined. */
export function patternProblem(match: string, flags = ''): string | undefined {
  try {
    void new RegExp(match, flags)
    return undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : 'no regular expression'
  }
}

/** For each text the index of the first pattern that matches, or -1. Throws `R2112` when it takes too long. */
export function firstMatches(texts: readonly string[], patterns: readonly TextPattern[], where: string): readonly number[] {
  return run(FIRST, { texts, patterns: patterns.map(({ match, flags = '' }) => ({ match, flags })) }, where) as number[]
}

/** Every match in some texts: its first group, else the whole; at most `most`. */
export function everyMatch(texts: readonly string[], { match, flags = 'm' }: TextPattern, most: number, where: string): readonly string[] {
  return run(EVERY, { texts, patterns: [{ match, flags }], most }, where) as string[]
}

function run(script: Script, input: unknown, where: string): unknown {
  // Only text goes in and only text comes out: nothing of this process can be reached from inside.
  const context = createContext(Object.assign(Object.create(null) as object, { input: JSON.stringify(input) }))
  try {
    return JSON.parse(String(script.runInContext(context, { timeout: LIMIT })))
  } catch (thrown) {
    throw stopped(thrown, where)
  }
}

/** What is thrown inside is no `Error` of this realm. */
function stopped(thrown: unknown, where: string): Fault {
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
    return faults.make('R2112', `${where}: matching took longer than ${LIMIT} ms`, { path: where })
  }
  const message = typeof thrown === 'object' && thrown !== null && 'message' in thrown ? String(thrown.message) : String(thrown)
  return faults.make('R2100', `${where}: ${message}`, { path: where })
}
