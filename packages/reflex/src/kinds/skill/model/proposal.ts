import type { JsonObject } from '../../../kernel/index.ts'

/** A proposal to carry out a skill: what a model, a person or a program asks for. */
export interface SkillProposal {
  /** `text`: a block in the reply of a model; `tool`: a call of the constant tool; `program`: a call by a program of any kind. */
  readonly carrier: 'text' | 'tool' | 'manual' | 'program'
  /** `id`, or `id@version`. */
  readonly skill_ref: string
  readonly inputs: JsonObject
  /** Why the proposer wants it. It is recorded and has no influence. */
  readonly why?: string
}
