import type { Json } from '../../../kernel/index.ts'
import { objectOf, textOf } from '../model/compile.ts'
import type { Question, Suspended } from '../types/index.ts'

/** Returns a wait as the resuming program sees it: the reason, and the question if there is one. */
export function suspendedResult(about: Json | undefined): Suspended {
  const { reason, text } = objectOf(about)
  return { status: 'suspended', reason: textOf(reason), ...(typeof text === 'string' ? { ask: questionOf(about) } : {}) }
}

function questionOf(about: Json | undefined): Question {
  const { reason: _, by: __, ...question } = objectOf(about)
  return Object.freeze(question) as unknown as Question
}
