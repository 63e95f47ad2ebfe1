import { isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { NodeManifest } from '../manifest/manifest.ts'
import { action } from '../nodes/action.ts'
import { mock } from '../nodes/mock.ts'

/** The answer of a node in a test. `running`: it stays RUNNING until it is halted. */
export type MockAnswer = 'success' | 'failure' | 'running'

/** What stands in place of a node in a test: an answer, a mock, or a function of the host. */
export type Substitute =
  | MockAnswer
  | {
      /** Its answer; a list has one for each time, and the last again and again. Default: success. */
      readonly returns?: MockAnswer | readonly MockAnswer[]
      /** The milliseconds for which it is RUNNING before it answers. Default: it answers at once. */
      readonly after?: number
      /** What it writes when it answers, by key, with the checks of every write. */
      readonly writes?: JsonObject
      /** The reason of a failure. */
      readonly reason?: string
    }
  /** Calls a function of the host, as an action does. */
  | { readonly fn: string; readonly args?: Json }

/**
 * Substitutes by the nodes that they replace: the path of a node, such as `plan` or `research/plan`, or a pattern in which `*` stands for any text.
 * A path counts before a pattern, and the first pattern that fits before the others.
 */
export type Substitutes = Readonly<Record<string, Substitute>>

/** A node that stands in place of another one. */
export interface StandIn {
  readonly manifest: NodeManifest
  readonly params: JsonObject
}

const ANSWERS: readonly unknown[] = ['success', 'failure', 'running'] satisfies readonly MockAnswer[]

/** Finds what stands in place of nodes. */
export class StandIns {
  readonly #exact = new Map<string, StandIn>()
  readonly #patterns: { readonly name: string; readonly parts: readonly string[]; readonly standIn: StandIn }[] = []

  constructor(substitutes: Substitutes) {
    for (const [name, substitute] of Object.entries(substitutes)) {
      const standIn = standInOf(substitute)
      if (name.includes('*')) this.#patterns.push({ name, parts: name.split('*'), standIn })
      else this.#exact.set(name, standIn)
    }
  }

  /** Returns what stands in place of a node; undefined for the node itself. */
  of(path: string): StandIn | undefined {
    return this.#exact.get(path) ?? this.#patterns.find(({ parts }) => fitsParts(path, parts))?.standIn
  }

  /** Returns the first name that fits none of the nodes. */
  unused(paths: readonly string[]): string | undefined {
    const exact = [...this.#exact.keys()].find((name) => !paths.includes(name))
    return exact ?? this.#patterns.find(({ parts }) => !paths.some((path) => fitsParts(path, parts)))?.name
  }
}

/** True if a path has the parts of a pattern in their order, the first at its beginning and the last at its end. In linear time. */
function fitsParts(path: string, parts: readonly string[]): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)]
  if (path.length < first.length + last.length || !path.startsWith(first) || !path.endsWith(last)) return false
  const end = path.length - last.length
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    const found = path.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}

function standInOf(substitute: Substitute): StandIn {
  if (typeof substitute === 'string') return { manifest: mock, params: { returns: [substitute] } }
  if ('fn' in substitute) return { manifest: action, params: { ...substitute } }
  const { returns = 'success', ...more } = substitute
  return { manifest: mock, params: { ...more, returns: typeof returns === 'string' ? [returns] : [...returns] } }
}

/** Returns substitutes that were given as data, or the first mistake in them. */
export function readSubstitutes(given: Json): { readonly substitutes: Substitutes } | { readonly mistake: string } {
  if (!isObject(given)) return { mistake: 'give an object: the path of a node, and what stands in its place' }
  for (const [name, substitute] of Object.entries(given)) {
    const mistake = mistakeOf(substitute)
    if (mistake !== undefined) return { mistake: `${name}: ${mistake}` }
  }
  return { substitutes: given as Substitutes }
}

const KEYS = new Set(['returns', 'after', 'writes', 'reason'])

function mistakeOf(given: Json): string | undefined {
  if (ANSWERS.includes(given)) return undefined
  if (!isObject(given)) return 'write success, failure or running, or an object'
  const { fn, returns = 'success', after = 0, writes = {}, reason = '' } = given
  if (fn !== undefined) return typeof fn === 'string' ? undefined : 'fn is the name of a function'
  const unknown = Object.keys(given).find((key) => !KEYS.has(key))
  if (unknown !== undefined) return `there is no ${unknown}; write returns, after, writes, reason, or fn with args`
  const words = isList(returns) ? returns : [returns]
  if (words.length === 0 || !words.every((word) => ANSWERS.includes(word)))
    return 'returns is success, failure or running, or a list of them'
  if (typeof after !== 'number' || !(after >= 0)) return 'after is a number of milliseconds'
  return isObject(writes) && typeof reason === 'string' ? undefined : 'writes is an object, and reason a text'
}
