import type { OpenQuestion } from '../../runs/handle.ts'
import type { Json } from '../../kernel/index.ts'
import { TurnOrder } from './outside.ts'
import type { AnswerScript } from './script.ts'

/** People who answer from a script. */
export class ScriptedPeople {
  readonly #answers: Readonly<Record<string, AnswerScript>>
  readonly #order = new TurnOrder()
  /** Questions that stay open because a function or the end of a list gave no answer. */
  readonly #unanswered = new Set<string>()

  constructor(answers: Readonly<Record<string, AnswerScript>> = {}) {
    this.#answers = answers
  }

  /**
   * Returns the first open question that the script answers, with the answer. A question of Reflex itself is answered only if its name is
   * in the script.
   */
  next(questions: readonly OpenQuestion[]): { readonly question: OpenQuestion; readonly value: Json } | undefined {
    for (const question of questions) {
      if (this.#unanswered.has(question.id)) continue
      const value = this.#answerTo(question)
      if (value !== undefined) return { question, value }
      this.#unanswered.add(question.id)
    }
    return undefined
  }

  #answerTo(question: OpenQuestion): Json | undefined {
    const name = namesOf(question).find((one) => Object.hasOwn(this.#answers, one))
    const given = name === undefined ? undefined : this.#answers[name]
    if (name === undefined || given === undefined) return undefined
    if (typeof given === 'function') return given(question)
    return Array.isArray(given) ? this.#order.next<Json>(name, given) : given
  }
}

/** Returns the names of a question: its address with and without its run, its path, its node. */
export function namesOf({ id, path, name }: OpenQuestion): readonly string[] {
  return [id, id.slice(id.lastIndexOf('/') + 1), path, name]
}
