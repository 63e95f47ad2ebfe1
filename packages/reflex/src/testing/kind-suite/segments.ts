import { Journals, replay, type Runtime, State, type Store } from '../../kernel/index.ts'
import { replayText } from './difference.ts'
import { textOf } from './process-life.ts'
import type { KindSubject } from './subject.ts'

/**
 * Returns what is wrong with the segments of a stored run: each must begin with exactly the state with which the one before it ends, and
 * must fold and replay alone.
 */
export async function segmentErrors(runtime: Runtime, store: Store, run: string, subject: KindSubject): Promise<string[]> {
  const journals = new Journals(store, runtime.programs)
  const errors: string[] = []
  let end = new State()
  for (const { number, opens } of await store.segments(run)) {
    const segment = await journals.segment(run, number)
    if (segment === undefined) return [`segment ${number} cannot be read`]
    const { records } = segment
    const opening = segment.opening()
    if (end.n > 0 && textOf(opening, subject) !== textOf(end, subject))
      errors.push(`the snapshot that opens segment ${number} is not the state after record ${opens}`)
    const { state, difference } = replay(records, runtime.programs, opening)
    if (difference !== undefined) errors.push(`segment ${number} alone: ${replayText(difference)}`)
    end = state
  }
  const { state } = await runtime.peek(run)
  if (textOf(state, subject) !== textOf(end, subject)) errors.push('the state in the store is not that of the last segment')
  return errors
}
