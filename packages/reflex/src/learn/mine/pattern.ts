import type { Json } from '../../kernel/index.ts'
import type { Row, RowSource } from './rows.ts'
import type { SlotFacts } from './slot-facts.ts'
import type { CostUnit } from './statistics.ts'
import type { PatternTemplate, SlotOrigin } from './template.ts'
import type { ValuePath } from './values.ts'

/** An input of a mined pattern. */
export interface MinedSlot extends SlotFacts {
  readonly name: string
  readonly origin: SlotOrigin
  readonly path?: string
}

/** A scalar of the last result that is used after the occurrence. */
export interface MinedOutput {
  readonly path: ValuePath
  /** The share of occurrences after which it is used. */
  readonly used: number
  readonly facts: SlotFacts
}

/** An occurrence with the values of the slots in it. */
export interface FilledRow {
  readonly row: Row
  readonly slots: readonly (Json | undefined)[]
}

/** Milliseconds of a step over all occurrences. */
export interface StepTimes {
  readonly median: number
  readonly p95: number
}

/** A pattern with everything that compiling it needs. */
export interface MinedPattern {
  /** The identity of the pattern: a digest of its symbols. */
  readonly hash: string
  readonly symbols: readonly string[]
  readonly tools: readonly string[]
  /** The number of runs, and their share. */
  readonly support: number
  readonly share: number
  readonly occurrences: number
  /** The share of occurrences in which every call succeeded and every rule held. */
  readonly success: number
  readonly isMaximal: boolean
  readonly unit: CostUnit
  /** Means for one occurrence with and without the skill, and their ratio. */
  readonly baseline: number
  readonly candidate: number
  readonly ratio: number
  /** The ratio of the 95th percentiles of times, less one. */
  readonly deltaP95: number
  readonly times: readonly StepTimes[]
  /** The 95th percentile of the US dollars of the calls of one occurrence, and of its milliseconds. */
  readonly costP95: number
  readonly msP95: number
  readonly template: PatternTemplate
  readonly slots: readonly MinedSlot[]
  readonly outputs: readonly MinedOutput[]
  /** Occurrences that the rules were found with, and those of them for which a rule does not hold: these are left out. */
  readonly training: number
  readonly exceptions: number
  /** Occurrences that were not used to find the rules. */
  readonly heldBack: readonly FilledRow[]
  /** Three occurrences, to be shown side by side. */
  readonly evidence: readonly FilledRow[]
  /** At most 20 of the runs: first, last, evenly spread. */
  readonly sources: readonly RowSource[]
  /** The labels that all its runs share, and the facts of the blackboard that all its occurrences share. */
  readonly labels: Readonly<Record<string, string>>
  readonly facts: Readonly<Record<string, Json>>
  /** Shared facts that differ in at least 80 % of the occurrences that failed. */
  readonly invariants: readonly (readonly [path: string, value: Json])[]
}
