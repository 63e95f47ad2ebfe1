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
  const pinned = functions.filter((pin) => !hasFunction(kind, pin, can)).map((pin) => pinnedWord(kind, pin))
  const named = namedBy(kinds, program, settings).map((part) => wordOf(kind, part))
  return [...pinned, ...named.filter((word) => !can.has(word))]
}

/** Returns the words for what programs need of the host that starts them, as far as it has given it. */
export function statedNeeds(kinds: Kinds, programs: readonly Program[]): readonly string[] {
  const needs = programs.flatMap((program) => {
    const { kind, functions = [] } = program
    const given = new Set(givenWords(kinds, kind))
    const pinned = functions.filter((pin) => hasFunction(kind, pin, given)).map((pin) => pinnedWord(kind, pin))
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

/** Returns the word for a function as a run has pinned it. */
function pinnedWord(kind: string, [name, version, digest]: FunctionPin): string {
  return wordOf(kind, { part: 'function', name: versionedName(name, version, digest) })
}

/** True if words have a function in the version of a pin, or in every version. */
function hasFunction(kind: string, pin: FunctionPin, words: ReadonlySet<string>): boolean {
  return words.has(pinnedWord(kind, pin)) || words.has(pinnedWord(kind, [pin[0], ANY_VERSION]))
}
