import { isObject, type Json, type JsonObject } from '../../../kernel/index.ts'

/** The roots of the blackboard of skills: each is a key space of one board (reference skill 1.16). */
const ROOTS = ['ctx', 'env', 'work', 'policy'] as const
type Root = (typeof ROOTS)[number]

const UNSAFE = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Returns the roots of a board as objects: the key `ctx.repo.name` is the member `name` of `repo` of `ctx`. A deeper key wins over a member of
 * a value above it.
 */
export function boardRoots(values: Readonly<Record<string, Json>>): Readonly<Record<Root, JsonObject>> {
  const roots = { ctx: {}, env: {}, work: {}, policy: {} } as Record<Root, Record<string, Json>>
  const keys = Object.keys(values).filter((key) => ROOTS.some((root) => key === root || key.startsWith(`${root}.`)))
  for (const key of keys.sort((a, b) => a.length - b.length || (a < b ? -1 : 1))) {
    const path = key.split('.')
    const value = values[key]
    if (value === undefined || path.some((part) => part === '' || UNSAFE.has(part))) continue
    put(roots, path, value)
  }
  return roots
}

function put(roots: Record<string, Json>, path: readonly string[], value: Json): void {
  let at: Record<string, Json> = roots
  for (const part of path.slice(0, -1)) {
    const inner = Object.hasOwn(at, part) ? at[part] : undefined
    const next: Record<string, Json> = isObject(inner) ? { ...inner } : {}
    at[part] = next
    at = next
  }
  const last = path.at(-1) ?? ''
  const before = Object.hasOwn(at, last) ? at[last] : undefined
  at[last] = isObject(before) && isObject(value) && path.length === 1 ? { ...before, ...value } : value
}
