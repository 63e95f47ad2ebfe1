import { digest, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { manifestText } from '../manifest/canonical.ts'
import { SKILL_STATES, type SkillState } from '../model/decision.ts'
import type { Manifest } from '../model/manifest.ts'

/**
 * The registry of skills is a ledger of the store for each project and environment: its entries have names, and the newest entry of a name
 * is its value (reference skill 1.24). A reader takes what it does not understand for absent, and refuses to write over it.
 */
export function skillLedger(project: string, env: string): string {
  return `skill/${project}/${env}`
}

/** The registry of an organisation, above those of its projects: a ledger that no project can have. */
export function orgLedger(org: string, env: string): string {
  return `org-skill/${org}/${env}`
}

/** The form of the registry. Entries of a newer one are neither read nor written: what they mean is unknown here. */
export const REGISTRY_FORMAT = 1

/** The name of the entry with the form of the registry. */
export const FORMAT_ENTRY = 'format'

/** Returns the form of a registry that a newer Reflex has written, from its entry; undefined for one that is known. */
export function newerFormat(entry: Json | undefined): number | undefined {
  const form = isObject(entry) ? Number(entry['v']) : REGISTRY_FORMAT
  return form > REGISTRY_FORMAT ? form : undefined
}

/** The names of entries. */
export const entryNames = {
  /** The versions that get the calls of a skill. */
  active: (id: string): string => `active/${id}`,
  state: (id: string, version: string): string => `state/${id}@${version}`,
  /** The manifest of a version. */
  manifest: (id: string, version: string): string => `manifest/${id}@${version}`,
  /** An idempotency key, as a hash. */
  key: (hash: string): string => `key/${hash}`,
  /** The executions of a skill: those in progress, and the last ended ones. */
  use: (id: string): string => `use/${id}`,
  /** What all executions of a version have come to. */
  figures: (id: string, version: string): string => `figures/${id}@${version}`,
}

/** A version that gets calls. */
export interface ActiveVersion {
  readonly version: string
  readonly hash: string
  /** From 0 to 1; the first version has none. */
  readonly share?: number
  /** Its executions and successes when it got this share: its rollout is judged by those after them. */
  readonly from?: readonly [runs: number, succeeded: number]
}

/** The versions that get the calls of a skill: the first gets all that the shares of the others leave. */
export interface ActiveEntry {
  readonly versions: readonly ActiveVersion[]
  /** The name by which conversations are split between versions; absent: `default`. */
  readonly experiment?: string
  readonly since: number
  readonly by: string
}

/** What all executions of a version have come to, those that were refused or answered from a key excepted. */
export interface FiguresEntry {
  readonly runs: number
  readonly succeeded: number
}

export const NO_FIGURES: FiguresEntry = { runs: 0, succeeded: 0 }

export function readFigures(value: Json | undefined): FiguresEntry {
  if (!isObject(value)) return NO_FIGURES
  const { runs, succeeded } = value
  return typeof runs === 'number' && typeof succeeded === 'number' ? { runs, succeeded } : NO_FIGURES
}

export interface StateEntry {
  readonly state: SkillState
  readonly reason: string
  readonly since: number
  readonly by: string
}

/** What became of an execution under one idempotency key. */
export interface KeyEntry {
  readonly status: 'in_progress' | 'succeeded' | 'unknown'
  /** The digest of the arguments. */
  readonly fingerprint: string
  readonly owner: Owner
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly expires: number
  /** The outputs of a success that may be stored. */
  readonly outputs?: JsonObject
}

/** A stored manifest. It is never changed: another text needs another version (reference skill 1.3). */
export interface ManifestEntry {
  readonly hash: string
  readonly manifest: Manifest
  /** Where it comes from: `file`, `mined`, `sync`. */
  readonly origin: string
  readonly at: number
  readonly by: string
}

export function readManifestEntry(value: Json | undefined): ManifestEntry | undefined {
  if (!isObject(value) || typeof value['hash'] !== 'string') return undefined
  const { manifest } = value
  const isManifest = isObject(manifest) && typeof manifest['id'] === 'string' && PARTS.every((part) => isObject(manifest[part]))
  return isManifest ? (value as unknown as ManifestEntry) : undefined
}

/** The parts of every stored manifest: defaults are in place. */
const PARTS = [
  'compat',
  'signature',
  'preconditions',
  'plan',
  'effects',
  'activation',
  'llm_support',
  'policy',
  'tests',
  'provenance',
  'extra',
]

/** True if a stored manifest has its hash: nobody has changed it. */
export function isIntact({ manifest, hash }: ManifestEntry): boolean {
  const { parsers, extractors } = manifest.llm_support
  return Array.isArray(parsers) && Array.isArray(extractors) && digest(manifestText(manifest)) === hash
}

/** An execution: its run and its frame. */
export type Owner = readonly [run: string, frame: string]

/** The executions of a skill. */
export interface UseEntry {
  readonly running: readonly Owner[]
  /** The end of the last one that did something. */
  readonly finished?: number
  /** The last twenty that did something, oldest first: end, major version, success. */
  readonly ended: readonly (readonly [at: number, major: number, ok: boolean])[]
}

/** The number of ended executions that are kept (reference skill 1.9). */
export const KEPT_EXECUTIONS = 20

export const NO_USE: UseEntry = { running: [], ended: [] }

/** Reads an entry of a ledger; undefined for one that is absent or has another form. */
export function readState(value: Json | undefined): StateEntry | undefined {
  if (!isObject(value)) return undefined
  const { state, reason, since, by } = value
  const isKnown = typeof state === 'string' && (SKILL_STATES as readonly string[]).includes(state)
  return isKnown && typeof since === 'number' ? { state: state as SkillState, reason: textOf(reason), since, by: textOf(by) } : undefined
}

export function readActive(value: Json | undefined): ActiveEntry | undefined {
  if (!isObject(value) || !Array.isArray(value.versions) || typeof value.since !== 'number') return undefined
  const versions = (value.versions as readonly Json[]).flatMap(readActiveVersion)
  const { experiment } = value
  const named = typeof experiment === 'string' ? { experiment } : {}
  return versions.length === 0 ? undefined : { versions, ...named, since: value.since, by: textOf(value.by) }
}

function readActiveVersion(one: Json): readonly ActiveVersion[] {
  if (!isObject(one) || typeof one.version !== 'string' || typeof one.hash !== 'string') return []
  const [runs, succeeded] = Array.isArray(one.from) ? (one.from as readonly Json[]) : []
  return [
    {
      version: one.version,
      hash: one.hash,
      ...(typeof one.share === 'number' ? { share: one.share } : {}),
      ...(typeof runs === 'number' && typeof succeeded === 'number' ? { from: [runs, succeeded] } : {}),
    },
  ]
}

export function readKey(value: Json | undefined): KeyEntry | undefined {
  if (!isObject(value)) return undefined
  const { status, fingerprint, owner, at, expires, outputs } = value
  const isKnown = status === 'in_progress' || status === 'succeeded' || status === 'unknown'
  if (!isKnown || typeof fingerprint !== 'string' || typeof at !== 'number' || typeof expires !== 'number') return undefined
  const [of] = owners([owner ?? null])
  return of === undefined ? undefined : { status, fingerprint, owner: of, at, expires, ...(isObject(outputs) ? { outputs } : {}) }
}

export function readUse(value: Json | undefined): UseEntry {
  if (!isObject(value)) return NO_USE
  const ended = (Array.isArray(value.ended) ? (value.ended as readonly Json[]) : []).flatMap((one) => {
    const [at, major, ok] = Array.isArray(one) ? (one as readonly Json[]) : []
    return typeof at === 'number' && typeof major === 'number' && typeof ok === 'boolean' ? [[at, major, ok] as const] : []
  })
  return {
    running: owners(Array.isArray(value.running) ? (value.running as readonly Json[]) : []),
    ...(typeof value.finished === 'number' ? { finished: value.finished } : {}),
    ended,
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function owners(list: readonly Json[]): readonly Owner[] {
  return list.flatMap((one) => {
    const [run, frame] = Array.isArray(one) ? (one as readonly Json[]) : []
    return typeof run === 'string' && typeof frame === 'string' ? [[run, frame] as const] : []
  })
}

/** Counts the kept executions of a major version in the last thirty days, for its score (reference skill 1.9). */
export function recentStats(use: UseEntry, major: number, now: number): { readonly successes: number; readonly runs: number } {
  const recent = use.ended.filter(([at, of]) => of === major && at >= now - THIRTY_DAYS)
  return { successes: recent.filter(([, , ok]) => ok).length, runs: recent.length }
}

const THIRTY_DAYS = 30 * 86_400_000

/** The name of the entry with the text of a prompt. */
export function promptName(reference: string): string {
  return `prompt/${reference}`
}
