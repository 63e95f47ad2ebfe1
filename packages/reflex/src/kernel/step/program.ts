import { digest } from '../journal/digest.ts'
import { canonicalJson, type Json } from '../journal/json.ts'
import type { FunctionPin, Pin } from '../journal/record.ts'

/** An immutable, validated, content-hashed definition of one kind. */
export interface Program<Def = unknown> {
  /** `kind:id`. */
  readonly name: string
  readonly kind: string
  /** The revision of the kind. */
  readonly rev: number
  readonly hash: string
  readonly source: Json
  readonly def: Def
  /** The functions of the host that it calls, with their versions; undefined if there are none. */
  readonly functions?: readonly FunctionPin[] | undefined
  /** The reason why it cannot be stored as data: it contains a function without a name. */
  readonly local?: string | undefined
}

/** Sources are immutable, and the same object is used each time a session of the same program begins. */
const hashes = new WeakMap<object, { readonly kind: string; readonly hash: string }>()

/** Returns the hash of a program: of its kind and its source, regardless of the order of keys. */
export function programHash(kind: string, source: Json): string {
  const known = typeof source === 'object' && source !== null ? hashes.get(source) : undefined
  if (known?.kind === kind) return known.hash
  const hash = digest(`${kind}\n${canonicalJson(source)}`)
  if (typeof source === 'object' && source !== null) hashes.set(source, { kind, hash })
  return hash
}

/** Returns the pin by which a run identifies a program. */
export function pinOf(program: Program): Pin {
  const { name, kind, rev, hash, functions } = program
  return functions === undefined ? [name, kind, rev, hash] : [name, kind, rev, hash, functions]
}
