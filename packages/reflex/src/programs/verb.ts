import type { JsonObject, NumberedRecord } from '../kernel/index.ts'

/** One thing that a verb found: the whole of it for `--json`, and the cells of its line for a person. */
export interface Found {
  readonly data: JsonObject
  readonly cells: readonly string[]
}

/** A verb of the command that a kind brings: it lists something of a stored run, by its records up to the one that is named. */
export interface KindVerb {
  /** As it is typed; no other verb has this name. */
  readonly name: string
  /** The text of the help. */
  readonly about: string
  readonly examples: readonly string[]
  /** Loads the function of the verb. It performs nothing. */
  readonly load: () => Promise<VerbSearch>
}

/** Reads the records of a run in order and returns what it found. A long run is never in memory as a whole. */
export type VerbSearch = (records: AsyncIterable<NumberedRecord>) => Promise<readonly Found[]>
