import type { Json, JsonObject } from './json.ts'
import type { Input, Ref } from './record.ts'

export type AnswerInput = Input & readonly ['answer', ...unknown[]]

/** The person who answers, and the reason for the answer. */
export interface AnswerAuthor {
  readonly by?: string | undefined
  readonly reason?: string | undefined
}

/** Returns the input that answers a wait. A reason without an author has the author `somebody`. */
export function answerInput(wait: Ref, value: Json, { by, reason }: AnswerAuthor): AnswerInput {
  if (reason !== undefined) return ['answer', wait, value, by ?? 'somebody', reason]
  return by === undefined ? ['answer', wait, value] : ['answer', wait, value, by]
}

/** Returns the facts of an answer for readers: the value, the author and the reason. */
export function answerFacts([, , answer, by, reason]: AnswerInput): JsonObject {
  return { answer, ...(by === undefined ? {} : { by }), ...(reason === undefined ? {} : { reason }) }
}
