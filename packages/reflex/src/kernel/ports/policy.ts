import type { Fault } from '../journal/fault.ts'
import type { Call, Traits } from './port.ts'
import type { RuntimeAsker } from '../journal/record.ts'
import type { RunFacts } from './settings.ts'
import type { Json } from '../journal/value.ts'

/**
 * Somebody is to be asked before an effect is performed. The question is a record and stands in the inbox under `name`, with
 * `about` as its text; once it is answered, the policy is asked again.
 */
export interface Pause {
  readonly name: string
  readonly asker: RuntimeAsker
  readonly about: Json
}

/** The effect is not performed yet: the policy is asked again once another effect of the run has settled. */
export type Postponed = 'later'

/**
 * Asked before every effect is performed. Answers with the fault that refuses it, with a question to somebody else, with
 * `later`, or with nothing to allow it; a refusal becomes the effect's failure and so a record.
 */
export interface Policy<S extends RunFacts = RunFacts> {
  ask(call: Call<S>, traits: Traits): Fault | Pause | Postponed | undefined
}
