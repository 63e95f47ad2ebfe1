import { isObject, type Json } from '../../kernel/index.ts'
import type { TurnArgs } from '../../kinds/skill/model/turn.ts'
import { quote } from '../../text/index.ts'
import { faults } from './faults.ts'
import { jsonOf } from '../dialects/loose.ts'

/** A source of values for the blackboard of a turn. */
export interface SeedSource {
  readonly from: string
  /** By path, `ctx.repo`, or as objects under `ctx`, `env` and `work`. */
  readonly values: unknown
}

/** The roots that a turn may be seeded with; `policy` is read-only. */
const PATH = /^(?:ctx|env|work)(?:\.[a-z0-9_]{1,100}){1,20}$/

/**
 * Returns the values of the blackboard with their sources: a later source wins, and what it replaces is listed (reference skill 1.16). Nothing
 * is read from a network. Throws `R2155` for a path outside of `ctx`, `env` and `work`.
 */
export function seedOf(sources: readonly SeedSource[]): Pick<TurnArgs, 'seed' | 'replaced'> {
  const seed = new Map<string, { readonly value: Json; readonly from: string }>()
  const above = new Set<string>()
  const replaced: { readonly path: string; readonly value: Json; readonly from: string; readonly by: string }[] = []
  for (const { from, values } of sources) {
    for (const [path, value] of leavesOf(jsonOf(values))) {
      if (!PATH.test(path)) throw badPath(path, from)
      const below = above.has(path) ? [...seed.keys()].filter((known) => known.startsWith(`${path}.`)) : []
      // A value has no place beside one above or below it.
      for (const other of [path, ...pathsAbove(path), ...below]) {
        const before = seed.get(other)
        if (before !== undefined) replaced.push({ path: other, ...before, by: from })
        seed.delete(other)
      }
      for (const one of pathsAbove(path)) above.add(one)
      seed.set(path, { value, from })
    }
  }
  return { ...(seed.size === 0 ? {} : { seed: Object.fromEntries(seed) }), ...(replaced.length === 0 ? {} : { replaced }) }
}

/** Returns the paths above a path, without its root. */
function pathsAbove(path: string): readonly string[] {
  const names = path.split('.')
  return names.slice(2).map((_, i) => names.slice(0, i + 2).join('.'))
}

function leavesOf(value: Json, path = ''): readonly (readonly [string, Json])[] {
  const isRoot = !path.includes('.')
  if (!isObject(value) || (!isRoot && Object.keys(value).length === 0)) return path === '' ? [] : [[path, value]]
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, path === '' ? key : `${path}.${key}`))
}

function badPath(path: string, from: string): Error {
  return faults.make('R2155', `${from} has the path ${quote(path)}, which the blackboard does not have`, {
    path,
    fix: 'write it below ctx, env or work, each name with lower-case letters, digits and underscores',
  })
}
