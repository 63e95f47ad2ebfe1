import type { Json, JsonObject } from '../../../kernel/index.ts'

/** How an execution of a plan ended (reference skill 1.12, 1.19). */
export type ExecutionStatus = 'ok' | 'noop' | 'partial_failure' | 'failed' | 'denied' | 'clarify'

/** The result of a skill for its caller, whoever that is. */
export interface SkillOutcome {
  readonly skill_id: string
  readonly version: string
  readonly status: ExecutionStatus
  readonly outputs?: JsonObject
  /** The reason of a denial or the cause of a failure. */
  readonly reason?: string
  /** At most twelve words. */
  readonly detail?: string
  /** The slots without a value. */
  readonly missing?: readonly { readonly slot: string; readonly question: string }[]
  readonly compensated?: 'full' | 'partial' | 'failed' | 'none'
}

/** Why a running plan stops (reference skill 1.19). */
export type StopCause = 'guard' | 'template' | 'budget_exceeded' | 'step_error' | 'timeout' | 'cancelled' | 'undeclared_write' | 'result'

/** What happened to one step. `unknown`: it may have changed something, and nobody knows. */
export type StepOutcome = 'ok' | 'skipped' | 'failed' | 'unknown'

export interface StepRecord {
  readonly id: string
  readonly outcome: StepOutcome
  readonly result?: Json
}
