import { plainJson, utc } from './plain.ts'
import type { JsonObject, Pin, RunRow } from '../kernel/index.ts'

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
