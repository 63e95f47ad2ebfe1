import type { OpenQuestion, RunHandle } from '../runs/handle.ts'
import { type FaultData, faultData, isFault, type Json } from '../kernel/index.ts'
import type { AnswerSource } from './answer-source.ts'
import type { PossibleEffect } from '../runs/possible-effects.ts'
import type { Console } from './console.ts'
import type { Progress } from './progress.ts'
import { askAtTerminal } from './prompt.ts'
import type { Interrupt } from './world.ts'

/** The reason why a command stopped continuing a run. */
export type RunExit =
  | 'ended'
  | 'suspended'
  | { readonly interrupted: Interrupt; readonly effects: readonly PossibleEffect[] }
  | { readonly refused: FaultData }

/** The parts that are needed to continue a run. */
export interface ContinueContext {
  readonly console: Console
  readonly handle: RunHandle
  readonly progress: Progress
  readonly answering: AnswerSource
  /** The name under which the person at this terminal answers, for the journal. */
  readonly actor: string
  /** Returns the pending effects that may happen outside. */
  readonly effects: () => readonly PossibleEffect[]
}

/**
 * Continues a run until it ends, waits for somebody who is not here, or is interrupted. Then gives up the lease and
 * changes nothing else.
 */
export async function continueRun(context: ContinueContext): Promise<RunExit> {
  const { console, handle, progress } = context
  const interrupt = new AbortController()
  const stopListening = console.world.onInterrupt((signal) => interrupt.abort(signal))
  try {
    return await continueLoop(context, interrupt)
  } finally {
    stopListening()
    progress.close()
    await handle.leave()
  }
}

async function continueLoop(context: ContinueContext, interrupt: AbortController): Promise<RunExit> {
  const { handle, progress, answering, actor, effects } = context
  const postponed = new Set<string>()
  const asked = watchQuestions(handle)
  for (;;) {
    progress.watch(true)
    const rested = await Promise.race([handle.idle().then(() => true), asked.next(), aborted(interrupt.signal)])
    if (interrupt.signal.aborted) return { interrupted: interrupt.signal.reason as Interrupt, effects: effects() }
    if (rested === true && handle.status !== 'suspended') {
      progress.watch(false)
      return 'ended'
    }
    const open = handle.questions.filter(({ wait, asker: who }) => who !== 'retry' && !postponed.has(wait) && asked.isDurable(wait))
    const fromData = await answerFromData(context, open)
    if (typeof fromData === 'object') return fromData
    if (fromData) continue
    const [question] = open
    // A question that cannot be asked does not stop the work that needs no answer.
    if (!rested && (!answering.atTerminal || question === undefined)) continue
    progress.watch(false)
    if (!answering.atTerminal || question === undefined) return 'suspended'
    const answered = await askUser(context, question, interrupt)
    if ('interrupted' in answered) interrupt.abort('SIGINT')
    else if ('value' in answered) await sendAnswer(handle.answer(question, answered.value, actor))
    else if ('left' in answered) postponed.add(question.wait)
  }
}

/**
 * Watches for questions that become durable: the branch that asks waits, and the other branches continue. A question
 * that was open when this process opened the run is durable.
 */
function watchQuestions(handle: RunHandle): { next(): Promise<false>; isDurable(wait: string): boolean } {
  const before = new Set(handle.questions.map(({ wait }) => wait))
  let fresh = false
  let wake: (() => void) | undefined
  handle.onLine(({ event }) => {
    if (event.mark !== 'ask') return
    fresh = true
    wake?.()
  })
  return {
    async next() {
      if (!fresh) await new Promise<void>((resolve) => (wake = resolve))
      fresh = false
      return false
    },
    isDurable: (wait) => before.has(wait) || handle.run.durable >= Number.parseInt(wait, 10),
  }
}

/**
 * True if data answered a question. If the question refuses the answer, the run is unchanged and the question stays
 * open.
 */
async function answerFromData(
  { handle, answering }: ContinueContext,
  open: readonly OpenQuestion[],
): Promise<boolean | { readonly refused: FaultData }> {
  for (const question of open) {
    let value: Json | undefined
    try {
      value = await answering.answer(question)
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown
      return { refused: { ...faultData(thrown), path: question.path, run: handle.id } }
    }
    if (value === undefined) continue
    await sendAnswer(handle.answer(question, value, answering.by))
    return true
  }
  return false
}

/**
 * Sends an answer. An answer that comes too late is not a failure of the run: somebody else answered first, and the
 * loop sees it.
 */
async function sendAnswer(answer: Promise<number>): Promise<void> {
  try {
    await answer
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code !== 'R2002') throw thrown
  }
}

/** Asks at the terminal as long as the question is open: another process may answer it, and it may expire. */
async function askUser(
  { console, handle, progress }: ContinueContext,
  question: OpenQuestion,
  interrupt: AbortController,
): ReturnType<typeof askAtTerminal> {
  const { screen } = progress
  if (screen === undefined) return { left: true }
  const closed = new AbortController()
  const end = (): void => closed.abort()
  const check = (): void => {
    if (!handle.questions.some(({ wait }) => wait === question.wait)) end()
  }
  const stopRecords = handle.onRecord(check)
  interrupt.signal.addEventListener('abort', end)
  try {
    return await askAtTerminal(console, screen, question, closed.signal)
  } finally {
    stopRecords()
    interrupt.signal.removeEventListener('abort', end)
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
