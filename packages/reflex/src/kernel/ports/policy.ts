import type { Fault } from '../journal/fault.ts'
import type { Json } from '../journal/json.ts'
import type { Permissions, Term } from '../journal/permissions.ts'
import type { Limits, Usage } from '../journal/usage.ts'
import type { Call, Traits } from './port.ts'
import type { RunFacts } from './settings.ts'

/** A capability that a call needs and that is granted on a term. */
export interface TermedNeed extends Term {
  readonly need: string
}

/** The answer of a policy before an effect: allowed, refused, or allowed once all terms are met. */
export type Judgement =
  | { readonly allowed: true }
  | { readonly refused: Fault }
  | {
      readonly terms: readonly TermedNeed[]
      /** Returns the question whether the terms that ask may be met. */
      question(open: readonly TermedNeed[]): Json
      /** Returns the fault for terms that are not met: a person has denied them, or they are used up. */
      refusal(unmet: readonly TermedNeed[]): Fault
    }

/** A frame whose permissions are worked out. */
export type PermissionsCall<S extends RunFacts = RunFacts> = Pick<Call<S>, 'run' | 'settings' | 'untrusted' | 'frame' | 'definition'>

/**
 * The operator's rules. The kernel asks before it performs an effect; a refusal becomes the failure of the effect, and so a record.
 * A question waits in the inbox, and nothing of the effect happens before it is answered.
 */
export interface Policy<S extends RunFacts = RunFacts> {
  judge(call: Call<S>, traits: Traits): Judgement
  /** Works out the rights of a program that states what it needs. Without it, all needs are granted. */
  ahead?(call: PermissionsCall<S>, needs: readonly string[]): Omit<Permissions, 'facts'>
  /** Returns the question of a run whose limits are used up. Without it, the limits of the operator stop nothing. */
  budgetQuestion?(limits: Limits, used: Usage, place: string): Json
  /** Returns the question before a model without a price is asked, in a run whose money is limited. */
  priceQuestion?(model: string, limits: Limits, place: string): Json
}
