import { END_OF_TIME, type Ref } from '../../../kernel/index.ts'
import type { Step } from './frame-step.ts'

/** Starts the timer of a limit or a delay. A timer that would end after the last date ends at the last date. */
export function limitTimer(x: Step, ms: number, title: string): Ref {
  return x.timer(Math.min(ms, END_OF_TIME - x.now), title)
}
