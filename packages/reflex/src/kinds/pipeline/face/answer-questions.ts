import type { Wait, Json, Ref, Run } from '../../../kernel/index.ts'
import { autoAnswers, isInternalQuestion, type OpenQuestion, readQuestion } from '../../../people/index.ts'
import { interview, type Interviewer } from './interviewers.ts'

/**
 * Answers the questions of a run with an interviewer until the run ends or waits for something else. Questions that are open at
 * the same time are asked together; branches that do not ask continue meanwhile. Rejects if the run rejects.
 */
export async function answerQuestions(run: Run, interviewer: Interviewer): Promise<void> {
  const asked = new Set<Ref>()
  const asking = new Set<Promise<void>>()
  for (;;) {
    await run.idle()
    if (run.state.ended !== undefined) return
    const open = [...run.state.waits.values()].filter((wait) => wait.type === 'answer' && !asked.has(wait.id) && !isInternalQuestion(wait))
    for (const { id } of open) asked.add(id)
    if (open.length > 0) {
      const answering: Promise<void> = answerAll(run, interviewer, open).finally(() => asking.delete(answering))
      asking.add(answering)
    }
    const isDue = [...run.state.waits.values()].some(({ due }) => due !== undefined)
    if (!isDue && asking.size === 0) return
    if ((await Promise.race([run.hasNextRecord(), ...asking])) === false) return run.idle()
  }
}

async function answerAll(run: Run, interviewer: Interviewer, waits: readonly Wait[]): Promise<void> {
  const open = waits.map((wait) => questionOf(run, wait))
  const answers = await interview(interviewer, open, { run: run.id }).catch((): readonly Json[] => waits.map(() => ({ skipped: true })))
  for (const [i, { id }] of waits.entries()) {
    const answer = answers[i]
    // The question may have timed out before the answer; the run has then closed it and continued.
    if (answer !== undefined)
      await run.answer(id, answer, interviewer.automatic === true ? autoAnswers.by : 'interviewer').catch(() => undefined)
  }
}

function questionOf(run: Run, { name, asker, about, number, frame }: Wait): OpenQuestion {
  return { id: `${run.id}/q${number}`, name, asker, path: run.path(frame), question: readQuestion(about, name) }
}
