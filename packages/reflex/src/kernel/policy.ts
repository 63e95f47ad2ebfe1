import type { Fault } from './fault.ts'
import type { Call, Traits } from './port.ts'
import type { OwnAsker } from './record.ts'
import type { Json } from './value.ts'

/**
 * Somebody is to be asked before an effect is performed. The question is a record and stands in the inbox under `name`, with
 * `about` as its text; once it is answered, the policy is asked again.
 */
export interface Hold {
  readonly name: string
  readonly asker: OwnAsker
  readonly about: Json
}

/**
 * Asked before every effect is performed. Answers with the fault that refuses it, with a question to somebody else, or nothing
 * to allow it; a refusal becomes the effect's failure and so a record.
 */
export interface Policy {
  ask(call: Call, traits: Traits, by: unknown): Fault | Hold | undefined
}
