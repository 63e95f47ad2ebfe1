import type { Fault } from './fault.ts'
import type { Call, Traits } from './port.ts'

/**
 * Asked before every effect is performed. Answers with the fault that refuses it, or nothing to allow it;
 * a refusal becomes the effect's failure and so a record.
 */
export interface Policy {
  ask(call: Call, traits: Traits, by: unknown): Fault | undefined
}
