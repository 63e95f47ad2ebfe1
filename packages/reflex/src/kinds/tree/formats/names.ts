import type { JsonObject } from '../../../kernel/index.ts'
import { type Suggester, suggester } from '../../../text/index.ts'
import type { NodeManifest } from '../manifest/manifest.ts'

/** The form of ids of nodes and names of trees. */
export const NAME = /^[a-zA-Z][a-zA-Z0-9_-]*$/

/** True for a name that would lead to another folder if it were a path: separators, `..`, NUL, a drive. */
export function leadsOut(name: string): boolean {
  return /[/\\\0]|\.\.|^[a-zA-Z]:/.test(name)
}

/** True for a path that leads out of a folder, or that means something else on another system. */
export function leavesFolder(path: string): boolean {
  return /^[/~]|\\|\0|^[a-zA-Z]:/.test(path) || path.split('/').includes('..')
}

/** A type under one of its names, with the parameters that the name implies. */
export interface NamedType {
  readonly manifest: NodeManifest
  readonly implied: JsonObject
}

/** The types of nodes by every name that they have. */
export interface TypeNames {
  /** Returns the type of a name: that of the manifest, of Lua, of BehaviorTree.CPP, or an alias. */
  find(name: string): NamedType | undefined
  readonly suggest: Suggester
}

/** Collects the names of types. A name of Lua counts before one of BehaviorTree.CPP. */
export function typeNames(manifests: readonly NodeManifest[]): TypeNames {
  const names = new Map<string, NamedType>()
  for (const manifest of manifests) {
    for (const name of luaNames(manifest)) if (!names.has(name)) names.set(name, { manifest, implied: {} })
  }
  const offered = [...names.keys()]
  for (const manifest of manifests) {
    for (const [name, implied] of Object.entries(manifest.xml ?? {})) if (!names.has(name)) names.set(name, { manifest, implied })
  }
  return { find: (name) => names.get(name), suggest: suggester(offered) }
}

/** The names of a type in Lua, the first is written. */
export function luaNames({ type, lua }: NodeManifest): readonly string[] {
  return [...new Set([lua?.name ?? type, type, ...(lua?.aliases ?? [])])]
}
