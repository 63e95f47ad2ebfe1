import { isObject, type Json, type JsonObject } from '../../kernel/index.ts'
import { FORMAT_ENTRY } from '../../kinds/skill/ledger/entries.ts'

/** The names of the entries that only the registry writes; those of executions are in `kinds/skill/ledger/entries.ts`. */
export const registryNames = {
  format: FORMAT_ENTRY,
  /** When the registry was last looked after, in milliseconds since the epoch. */
  looked: 'looked',
  /** The unit cases of a manifest, by its hash. */
  cases: (hash: string): string => `cases/${hash}`,
  /** The last test of a manifest, by its hash. */
  ci: (hash: string): string => `ci/${hash}`,
  /** What a client of a control plane remembers: `synced`, `reported`. */
  control: (what: string): string => `control/${what}`,
} as const

/** The result of the tests of one manifest. It counts for this hash and this major version of Reflex alone (reference skill 1.23). */
export interface CiEntry {
  readonly passed: boolean
  readonly sdk: string
  readonly at: number
  readonly unit: readonly [passed: number, of: number]
  readonly fuzz: readonly [passed: number, of: number]
  readonly security: boolean
  readonly delta_cost: number
  /** Fails after one another, the last ones first. */
  readonly failures: number
}

export function readCi(value: Json | undefined): CiEntry | undefined {
  return isObject(value) && typeof value['passed'] === 'boolean' && typeof value['sdk'] === 'string'
    ? (value as unknown as CiEntry)
    : undefined
}

/** Returns an entry as JSON. */
export function entryJson(entry: object): JsonObject {
  return entry as JsonObject
}
