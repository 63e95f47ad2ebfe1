import type { FunctionPin, Json, Program } from '../../kernel/index.ts'
import { ANY_VERSION, type HostPart, type HostParts, type NamingSettings, versionedName } from '../../programs/host-parts.ts'
import type { Kinds } from '../../programs/kinds.ts'

/** A program as far as its needs can be read from it: its kind, the functions that a run has pinned, and its source, if it is known. */
export interface NeedyProgram {
  readonly kind: string
  readonly functions?: readonly FunctionPin[] | undefined
  readonly source?: Json | undefined
}

/** The parts that sources name, by host and source: a source is read once. */
const NAMED = new WeakMap<HostParts, WeakMap<object, readonly HostPart[]>>()

/** Returns the words for everything that a host has given to a kind: `function:workflow/approved@2`. */
export function givenWords(kinds: Kinds, kind: string): readonly string[] {
  return (kinds.reader(kind)?.hostParts?.given() ?? []).map((part) => wordOf(kind, part))
}

/** Returns the words of a program for parts of a host that `can` does not have. A kind that is not loaded has none. */
export function lackingParts(
  kinds: Kinds,
  program: NeedyProgram,
  can: ReadonlySet<string>,
  settings: NamingSettings = {},
): readonly string[] {
  const { kind, functions = [] } = program
  const pinned = functions.flatMap((pin) => (satisfying(kind, pin, can) === undefined ? [missingFunction(kind, pin, can)] : []))
  const named = namedBy(kinds, program, settings).map((part) => wordOf(kind, part))
  return [...pinned, ...named.filter((word) => !can.has(word))]
}

/** Returns the words for what programs need of the host that starts them, as far as it has given it. */
export function statedNeeds(kinds: Kinds, programs: readonly Program[]): readonly string[] {
  const needs = programs.flatMap((program) => {
    const { kind, functions = [] } = program
    const given = new Set(givenWords(kinds, kind))
    const pinned = functions.flatMap((pin) => satisfying(kind, pin, given) ?? [])
    return [...pinned, ...namedBy(kinds, program, {}).flatMap((part) => (given.has(wordOf(kind, part)) ? [wordOf(kind, part)] : []))]
  })
  return [...new Set(needs)].sort()
}

function wordOf(kind: string, { part, name }: HostPart): string {
  return `${part}:${kind}/${name}`
}

function namedBy(kinds: Kinds, { kind, source }: NeedyProgram, settings: NamingSettings): readonly HostPart[] {
  const parts = kinds.reader(kind)?.hostParts
  if (parts === undefined) return []
  return [...namedIn(parts, source), ...(parts.chosen?.(settings) ?? [])]
}

function namedIn(host: HostParts, source: Json | undefined): readonly HostPart[] {
  if (host.named === undefined || typeof source !== 'object' || source === null) return []
  const known = NAMED.get(host) ?? new WeakMap<object, readonly HostPart[]>()
  NAMED.set(host, known)
  const parts = known.get(source) ?? host.named(source)
  known.set(source, parts)
  return parts
}

/** Returns the word of `can` for a pinned function; undefined if it has none. A digest that only one side states is not compared. */
function satisfying(kind: string, [name, version, digest]: FunctionPin, can: ReadonlySet<string>): string | undefined {
  const exact = wordOf(kind, { part: 'function', name: versionedName(name, version, digest) })
  if (can.has(exact)) return exact
  // A host without versions has every one, so any host with the function can be meant.
  const open = wordOf(kind, { part: 'function', name: versionedName(name, ANY_VERSION) })
  return can.has(open) ? wordOf(kind, { part: 'function', name }) : undefined
}

/** A host that lacks the function altogether does not ask for a version: another one may have the function without versions. */
function missingFunction(kind: string, [name, version, digest]: FunctionPin, can: ReadonlySet<string>): string {
  const unversioned = wordOf(kind, { part: 'function', name })
  return can.has(unversioned) ? wordOf(kind, { part: 'function', name: versionedName(name, version, digest) }) : unversioned
}
