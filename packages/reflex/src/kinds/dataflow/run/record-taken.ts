import type { Json, JsonObject } from '../../../kernel/index.ts'
import { faultJson, isFault } from '../../../kernel/index.ts'
import type { GraphPosition } from './position.ts'
import { positionPatch } from './position.ts'
import type { PassReport, Taken } from './taken.ts'
import type { GraphStep } from './running.ts'

/** Records what a step has taken: the keys that changed, the position, and a note from which a replay sees that nothing differs. */
export function recordTaken(x: GraphStep, before: GraphPosition, taken: Taken, now: GraphPosition = taken.position): void {
  for (const [key, value] of taken.writes) {
    if (value === undefined) x.delete(key)
    else if (key.startsWith('~')) x.setInternal(key, value)
    else x.set(key, value)
  }
  const patch = positionPatch(before, now)
  if (patch !== undefined) x.patch(patch)
  if (taken.passes.length + taken.refusals.length > 0) x.note(noteOf(taken))
}

/** The note of a record: the rest is computed again from its input. */
function noteOf({ passes, refusals, fingerprint }: Taken): JsonObject {
  const unusual = passes.filter(isUnusual)
  return {
    ...(passes.length === 0 ? {} : { passes: passes.length, fingerprint }),
    ...(unusual.length === 0 ? {} : { decisions: unusual.map((report) => decisionNote(report)) }),
    ...(refusals.length === 0 ? {} : { refused: refusals.map(({ index, id, fault }) => [index, id, fault.code, fault.message]) }),
  }
}

/** False for a pass that was run at once and completed: nearly all are such. */
function isUnusual({ decision: { decision, termination, retry_count } }: PassReport): boolean {
  return decision !== 'Invoke' || termination !== 'Completed' || retry_count > 0
}

function decisionNote({ event, decision, failure }: PassReport): Json {
  const { decision: what, schedule_at, episode_id, termination, retry_count } = decision
  return {
    event: event.event_id,
    episode: episode_id,
    decision: what,
    ...(schedule_at === null || schedule_at === undefined ? {} : { schedule_at: schedule_at as unknown as Json }),
    ...(termination === null || termination === undefined ? {} : { termination: termination as Json }),
    ...(retry_count === 0 ? {} : { retry_count }),
    ...(isFault(failure) ? { failure: faultJson(failure) } : {}),
  }
}
