import type { Reflex } from '../app/reflex.ts'
import { equalJson, type Json } from '../kernel/index.ts'
import { closedQuestion, lostAnswer } from '../runs/answering.ts'
import type { OpenQuestion } from '../runs/handle.ts'
import { checkAnswer } from '../runs/runtime-questions.ts'

/** Milliseconds between two looks at a question of a run that another process holds, and the most looks. */
const LOOK_MS = 100
const MOST_LOOKS = 100

/**
 * Waits until the process that holds a run has decided on an answer in its inbox: the first answer of several closes the question. Returns
 * the record that took this one; undefined if none did in ten seconds. Throws `R2002` with the answer that was first.
 */
export async function decidedAnswer(
  { store, host }: Pick<Reflex, 'store' | 'host'>,
  question: OpenQuestion,
  answer: { readonly value: Json; readonly by: string },
): Promise<number | undefined> {
  const { run, wait } = question
  for (let look = 0; look < MOST_LOOKS; look++) {
    const waits = (await store.read(run, 0))?.row.waits ?? []
    if (!waits.some(({ id }) => String(id) === wait)) {
      const closed = await closedQuestion(store, run, wait)
      const isOurs = closed?.answer?.by === answer.by && equalJson(closed.answer.value, checkAnswer(question, answer.value))
      if (closed !== undefined && isOurs) return closed.record
      throw lostAnswer(question, closed)
    }
    await new Promise<void>((resolve) => void host.at(host.now() + LOOK_MS, resolve, true))
  }
  return undefined
}
