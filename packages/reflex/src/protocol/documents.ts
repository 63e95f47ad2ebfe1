import { plainJson, utc } from './plain.ts'
import { programDocument } from './run-document.ts'
import type { OpenQuestion, RunHandle } from '../runs/handle.ts'
import { type FaultData, faultData, type JsonObject } from '../kernel/index.ts'
import type { StoryLine } from '../history/trace.ts'

/** Returns `{"v":1,"error":{…}}` (experience 1.5). */
export function errorDocument(fault: FaultData): JsonObject {
  return plainJson({ v: 1, error: faultData(fault) })
}

export function questionDocument({ id, run, name, path, question, since, due, fault }: OpenQuestion): JsonObject {
  return plainJson({ id, run, name, path, ...question, since: utc(since), due: due === undefined ? undefined : utc(due), error: fault })
}

/** Returns the state of a run that this process has. `more` replaces and adds fields. */
export function resultDocument(handle: RunHandle, gone: boolean, more: object = {}): JsonObject {
  const { state } = handle.run
  const { start } = state
  return plainJson({
    v: 1,
    run: handle.id,
    trace: start?.trace,
    program: start?.pins[0] === undefined ? undefined : programDocument(start.pins[0]),
    status: gone ? 'suspended' : handle.status,
    records: handle.run.durable,
    started: start === undefined ? undefined : utc(start.at),
    updated: utc(state.time),
    ...(handle.failure === undefined ? { value: handle.value } : { error: handle.failure }),
    questions: handle.questions.map(questionDocument),
    ...more,
  })
}

export function lineDocument({ n, at, path, place, branch, depth, event }: StoryLine): JsonObject {
  const { mark, node, text, effect } = event
  const facts = factsOf(event)
  return plainJson({
    record: n,
    time: utc(at),
    path,
    place,
    branch,
    depth,
    mark,
    node,
    text,
    effect,
    ...(Object.keys(facts).length === 0 ? {} : { facts }),
  })
}

/** Returns the facts of an event besides its text; its line has the time. */
export function factsOf({ facts = {} }: StoryLine['event']): JsonObject {
  const { at: _, ...rest } = facts
  return rest
}
