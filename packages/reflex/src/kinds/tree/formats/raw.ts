import type { FaultDetails } from '../../../kernel/index.ts'

/** The place of a node or a tree in the text that its author wrote. */
export interface Origin {
  /** The line, from 1; undefined for programs in TypeScript. */
  readonly line?: number | undefined
  /** Returns the details of a fault at a key; without a key, or for one that is absent, at the node itself. */
  at(key?: string, note?: string): FaultDetails
  /** Returns the line on which the value of a key begins that is code; `names`: the key and its aliases. Undefined if it is unknown. */
  codeLine?(names: readonly string[], code: string): number | undefined
}

/** The origin of what was never text. */
export const NOWHERE: Origin = { at: () => ({}) }

/** A mistake in the form of a node or a tree that its written form shows already, such as a wrong number of arguments. */
export interface RawMistake {
  readonly message: string
  readonly key?: string | undefined
  readonly fix?: string | undefined
}

/** The values of a node or a tree by key, in the order of the text: JSON, nodes, trees, and functions where a form has them. */
export type RawKeys = ReadonlyMap<string, unknown>

export interface RawParts {
  readonly keys: RawKeys
  readonly origin: Origin
  readonly children?: readonly RawNode[]
  readonly mistakes?: readonly RawMistake[]
}

/** A node as its author wrote it, before it is checked. A node that is used twice is one object in two places. */
export class RawNode {
  /** The type as it is spelled: the type of the manifest, its name in Lua or in XML, or an alias. */
  readonly type: string
  readonly keys: RawKeys
  readonly children: readonly RawNode[]
  readonly origin: Origin
  readonly mistakes: readonly RawMistake[]

  constructor(type: string, { keys, origin, children = [], mistakes = [] }: RawParts) {
    this.type = type
    this.keys = keys
    this.children = children
    this.origin = origin
    this.mistakes = mistakes
  }
}

/** A tree as its author wrote it, before it is checked. */
export class RawTree {
  readonly name: unknown
  readonly keys: RawKeys
  readonly origin: Origin
  readonly mistakes: readonly RawMistake[]

  constructor(name: unknown, { keys, origin, mistakes = [] }: RawParts) {
    this.name = name
    this.keys = keys
    this.origin = origin
    this.mistakes = mistakes
  }
}

/** Stands for a value that was refused and reported, so that it is not reported as missing. */
export const REFUSED: unique symbol = Symbol('refused')

/** A function of a definition in Lua, which cannot leave the sandbox. */
export class RawFunction {
  readonly is = 'function'
}

/** A table of Lua, or an object or a list of TypeScript: nodes by number and values by name. */
export class RawTable {
  readonly list: readonly (readonly [index: number, value: unknown])[]
  readonly keys: RawKeys

  constructor(list: readonly (readonly [number, unknown])[], keys: RawKeys) {
    this.list = list
    this.keys = keys
  }
}

/**
 * Returns a value without tables: a table with the keys 1 to n is a list, every other one an object, and its numbers become keys
 * (reference 2.9). Nodes and functions inside stay as they are.
 */
export function withoutTables(value: unknown): unknown {
  if (!(value instanceof RawTable)) return value
  const { list, keys } = value
  const isList = list.length > 0 && keys.size === 0 && list.every(([index], place) => index === place + 1)
  if (isList) return list.map(([, item]) => withoutTables(item))
  const entries = [...list.map(([index, item]) => [String(index), item] as const), ...keys]
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutTables(item)]))
}

/** Returns the type of a value as messages name it. */
export function typeName(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (value instanceof RawNode) return `a node (${value.type})`
  if (value instanceof RawTree) return 'a tree'
  if (value instanceof RawFunction || typeof value === 'function') return 'a function'
  if (value instanceof RawTable) return 'a table'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'string') return value.length > 40 ? 'a text' : `the text ${JSON.stringify(value)}`
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : `a ${typeof value}`
}
