import { plainJson, utc } from './plain.ts'
import type { OpenQuestion, RunHandle } from '../runs/handle.ts'
import { type FaultData, faultData, type JsonObject, type Pin, type RunRow } from '../kernel/index.ts'
import type { StoryLine } from '../history/trace.ts'

/** Returns `{"v":1,"error":{…}}` (experience 1.5). */
export function errorDocument(fault: FaultData): JsonObject {
  return plainJson({ v: 1, error: faultData(fault) })
}

export function questionDocument({ id, run, program, name, asker, path, question, since, due, fault }: OpenQuestion): JsonObject {
  return plainJson({
    id,
    run,
    ...(program === undefined ? {} : { program: programDocument(program) }),
    name,
    ...(asker === 'program' ? {} : { asker }),
    path,
    ...question,
    since: utc(since),
    due: due === undefined ? undefined : utc(due),
    error: fault,
  })
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

export function programDocument([name, kind, , hash]: Pin): JsonObject {
  return { name: name.slice(name.indexOf(':') + 1), kind, hash }
}

/** Returns a run as lists and `run` print it. `segments` is their number. Its status is `suspended` if its process is gone. */
export function runDocument(row: RunRow, gone: boolean, segments = 1): JsonObject {
  const { id, trace, program, last, started, updated, due, waits, owner, value, used } = row
  const { calls: _calls, ...amounts } = used ?? {}
  return plainJson({
    id,
    trace,
    program: programDocument(program),
    status: gone ? 'suspended' : row.status,
    records: last,
    started: utc(started),
    updated: utc(updated),
    due: due === null ? undefined : utc(due),
    waits: [
      ...(gone ? [{ type: 'process' }] : []),
      ...waits.map((wait) => ({
        type: wait.type,
        name: wait.name,
        path: wait.path,
        since: utc(wait.since),
        due: wait.due === undefined ? undefined : utc(wait.due),
        everyMs: wait.every,
        ...(wait.number > 0 ? { question: `${id}/q${wait.number}` } : {}),
      })),
    ],
    segments: segments > 1 ? segments : undefined,
    ...(used === undefined ? {} : { cost: 0, tokens: 0, ...amounts }),
    process: owner === null ? undefined : { pid: owner.pid, host: owner.host },
    ...(row.status === 'failed' ? { error: value } : { value }),
  })
}
