import { applyRecord, linesOf } from '../history/trace.ts'
import type { JsonObject, NumberedRecord, OpenWait, Rec, RunStatus, State } from '../kernel/index.ts'
import { summary, waitsForPerson } from '../kernel/index.ts'
import type { ViewedPrograms } from '../programs/kinds.ts'
import { lineDocument, questionDocument } from '../protocol/documents.ts'
import { plainJson, utc } from '../protocol/plain.ts'
import { questionsOf } from '../runs/handle.ts'

/** A run as its records are read. */
export interface RunFold {
  readonly state: State
  readonly definitions: ViewedPrograms
}

/** Applies a record of a run, and returns the data of its event: its time, what it means, and the end of the run if it ends it. */
export function recordEvent(run: string, [n, record]: NumberedRecord, fold: RunFold): JsonObject {
  const lines = appliedLines(fold, record)
  const { ended, time } = fold.state
  return plainJson({ v: 1, run, record: n, time: utc(time), lines, ...(ended === undefined ? {} : { ended: statusOf(fold.state) }) })
}

function appliedLines({ state, definitions }: RunFold, record: Rec): JsonObject[] {
  const change = applyRecord(state, record, definitions)
  // Dropped effects matter only to the process that performs them.
  state.droppedEffects.length = 0
  return change === undefined ? [] : linesOf(change, definitions).map(lineDocument)
}

/** Returns the status of a run after its last applied record, as far as the journal tells it. */
export function statusOf(state: State): RunStatus {
  const { ended, waits, queue } = state
  if (ended !== undefined) return ended.status === 'done' ? 'completed' : ended.status
  if (state.isIdle) return 'suspended'
  if (waits.size === 0 || queue.peek() !== undefined) return 'running'
  for (const effect of state.pendingEffects()) if (!waitsForPerson(effect)) return 'running'
  return 'suspended'
}

/** Returns the open questions of a run as documents, by the ids of their waits. */
export function openQuestions(run: string, { state, definitions }: RunFold): ReadonlyMap<OpenWait['id'], JsonObject> {
  const found = new Map<OpenWait['id'], JsonObject>()
  for (const { type } of state.waits.values()) {
    if (type !== 'answer') continue
    for (const wait of summary(state, definitions, 'suspended').waits)
      for (const question of questionsOf(run, [wait], state.start?.pins[0])) found.set(wait.id, questionDocument(question))
    return found
  }
  return found
}

/** True if these are the open questions of a run. */
export function hasSameQuestions(open: ReadonlyMap<OpenWait['id'], JsonObject>, { state }: RunFold): boolean {
  let count = 0
  for (const { type, id } of state.waits.values()) {
    if (type !== 'answer') continue
    if (!open.has(id)) return false
    count++
  }
  return count === open.size
}

/** Returns why a record closed a question, and the answer with its author if there is one. */
export function closingOf(id: OpenWait['id'], { input }: Rec, { ended }: State): JsonObject {
  if (input?.[0] === 'answer' && input[1] === id) {
    const [, , value, by, reason] = input
    return plainJson({ why: 'answer', value, by, reason })
  }
  if (input?.[0] === 'timer' && input[1] === id) return { why: 'expired' }
  return { why: ended === undefined ? 'dropped' : 'ended' }
}
