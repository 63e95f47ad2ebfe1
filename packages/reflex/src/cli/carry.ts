import type { OpenQuestion, RunHandle } from '../runs/handle.ts'
import { type FaultData, faultData, isFault, type Json } from '../kernel/index.ts'
import type { Answering } from './answering.ts'
import type { PossibleEffect } from '../runs/possible-effects.ts'
import type { Console } from './console.ts'
import type { Progress } from './progress.ts'
import { askAtTerminal } from './prompt.ts'
import type { Interrupt } from './world.ts'

/** How a command left a run. */
export type Left =
  | 'ended'
  | 'suspended'
  | { readonly interrupted: Interrupt; readonly effects: readonly PossibleEffect[] }
  | { readonly refused: FaultData }

/** What carrying a run on needs. */
export interface Carrying {
  readonly console: Console
  readonly handle: RunHandle
  readonly progress: Progress
  readonly answering: Answering
  /** Who answers at this terminal, for the journal. */
  readonly actor: string
  /** Returns the effects that are under way and may happen outside. */
  readonly effects: () => readonly PossibleEffect[]
}

/** Carries a run on until it ends, waits for somebody who is not here, or is interrupted. Then it is left as it is. */
export async function carryOn(carrying: Carrying): Promise<Left> {
  const { console, handle, progress } = carrying
  const interrupt = new AbortController()
  const stopListening = console.world.interrupts((signal) => interrupt.abort(signal))
  try {
    return await carry(carrying, interrupt)
  } finally {
    stopListening()
    progress.close()
    await handle.leave()
  }
}

async function carry(carrying: Carrying, interrupt: AbortController): Promise<Left> {
  const { handle, progress, answering, actor, effects } = carrying
  const later = new Set<string>()
  const asked = questionsAsked(handle)
  for (;;) {
    progress.watch(true)
    const rested = await Promise.race([handle.idle().then(() => true), asked.next(), aborted(interrupt.signal)])
    if (interrupt.signal.aborted) return { interrupted: interrupt.signal.reason as Interrupt, effects: effects() }
    if (rested === true && handle.status !== 'suspended') {
      progress.watch(false)
      return 'ended'
    }
    const open = handle.questions.filter(({ wait, asker: who }) => who !== 'retry' && !later.has(wait) && asked.durably(wait))
    const byData = await answeredByData(carrying, open)
    if (typeof byData === 'object') return byData
    if (byData) continue
    const [question] = open
    // Whoever cannot be asked keeps nothing from going on that needs nobody.
    if (!rested && (!answering.atTerminal || question === undefined)) continue
    progress.watch(false)
    if (!answering.atTerminal || question === undefined) return 'suspended'
    const answered = await askHere(carrying, question, interrupt)
    if ('interrupted' in answered) interrupt.abort('SIGINT')
    else if ('value' in answered) await take(handle.answer(question, answered.value, actor))
    else if ('left' in answered) later.add(question.wait)
  }
}

/**
 * Hears of questions as they become durable: the branch of one that asks waits, and those beside it go on. What was open
 * when this process came is durable.
 */
function questionsAsked(handle: RunHandle): { next(): Promise<false>; durably(wait: string): boolean } {
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
    durably: (wait) => before.has(wait) || handle.run.durable >= Number.parseInt(wait, 10),
  }
}

/** Whether data had an answer; one that its question refuses leaves the run as it is, with the question open. */
async function answeredByData(
  { handle, answering }: Carrying,
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
    await take(handle.answer(question, value, answering.by))
    return true
  }
  return false
}

/** An answer that came too late is no failure of the run: somebody else was first, and the loop sees it. */
async function take(answer: Promise<number>): Promise<void> {
  try {
    await answer
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code !== 'R2002') throw thrown
  }
}

/** Asks at the terminal, as long as the question is open: others may answer it, and its time may run out. */
async function askHere(
  { console, handle, progress }: Carrying,
  question: OpenQuestion,
  interrupt: AbortController,
): ReturnType<typeof askAtTerminal> {
  const { screen } = progress
  if (screen === undefined) return { left: true }
  const over = new AbortController()
  const end = (): void => over.abort()
  const check = (): void => {
    if (!handle.questions.some(({ wait }) => wait === question.wait)) end()
  }
  const stopRecords = handle.onRecord(check)
  interrupt.signal.addEventListener('abort', end)
  try {
    return await askAtTerminal(console, screen, question, over.signal)
  } finally {
    stopRecords()
    interrupt.signal.removeEventListener('abort', end)
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
