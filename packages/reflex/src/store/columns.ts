import { faults } from '../kernel/journal/faults.ts'
import type { Json } from '../kernel/journal/json.ts'
import type { Pin } from '../kernel/journal/record.ts'
import type { Batch, Message, OpenWait, RowUsage, RunRow, RunStatus, Worker } from '../kernel/ports/store.ts'

/** A run's row as stores keep it: JSON as text, so that what goes in and what comes out share nothing. */
export interface RunColumns {
  readonly id: string
  readonly trace: string
  readonly program: string
  readonly status: RunStatus
  readonly last: number
  readonly started: number
  readonly updated: number
  readonly due: number | null
  readonly waits: string
  readonly value: string | null
  readonly used: string | null
}

export function newColumns(row: Omit<RunRow, 'owner' | 'last'>): RunColumns {
  const { id, trace, started } = row
  return { id, trace, program: JSON.stringify(row.program), started, last: 0, ...movingColumns(row) }
}

/** The columns that a commit changes. */
export function movingColumns(row: Batch['row']): Pick<RunColumns, 'status' | 'updated' | 'due' | 'waits' | 'value' | 'used'> {
  const { status, updated, due, waits, value, used } = row
  return {
    status,
    updated,
    due,
    waits: waits.length === 0 ? '[]' : JSON.stringify(waits),
    value: value === undefined ? null : JSON.stringify(value),
    used: used === undefined ? null : JSON.stringify(used),
  }
}

export function rowOf(columns: RunColumns, owner: Worker | null): RunRow {
  const { id, trace, status, last, started, updated, due, value, used } = columns
  const what = `the row of ${id}`
  return {
    id,
    trace,
    program: parseJson(columns.program, what, id) as Pin,
    status,
    last,
    started,
    updated,
    due,
    waits: parseJson(columns.waits, what, id) as unknown as readonly OpenWait[],
    owner,
    ...(value === null ? {} : { value: parseJson(value, what, id) }),
    ...(used === null ? {} : { used: parseJson(used, what, id) as RowUsage }),
  }
}

/** A message as stores keep it. */
export interface MessageColumns {
  readonly id: string
  readonly type: Message['type']
  readonly target: string
  readonly body: string
  readonly sender: string | null
  readonly at: number
}

/** Throws `R2004` for what is no text: a column would make one of it, and then the message is not what was summed. */
export function messageColumns({ id, type, to, body, by, at }: Message): MessageColumns {
  for (const [name, value] of Object.entries({ id, to, by: by ?? '' }))
    if (typeof value !== 'string') throw faults.make('R2004', `${name} of a message is a ${typeof value}, not a text`)
  return { id, type, target: to, body: JSON.stringify(body), sender: by ?? null, at }
}

export function messageOf({ id, type, target, body, sender, at }: MessageColumns, run: string): Message {
  const parsed = parseJson(body, `message ${id}`, run)
  return { id, type, to: target, body: parsed, ...(sender === null ? {} : { by: sender }), at }
}

/** Parses what a store wrote as JSON. Throws `R5003` if it is not what was written. */
export function parseJson(text: string, what: string, run?: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    throw corruption(what, run, cause)
  }
}

/** Something in a store is not what was written. */
export function corruption(what: string, run?: string, cause?: unknown): Error {
  return faults.make('R5003', `${what} is not what was written`, { run, cause, fix: 'restore the store from a copy' })
}

/** Whether a message that was told by one of these topics meets a wait of a run, by its row. A row that nobody can read is for a resume to report. */
export function isAwaited(waits: string, topics: readonly string[]): boolean {
  if (topics.length === 0) return false
  try {
    const open = JSON.parse(waits) as readonly OpenWait[]
    return open.some(({ type, name }) => type === 'message' && topics.includes(name))
  } catch {
    return true
  }
}

/** A run that may still be advanced. */
export function isOpen(status: RunStatus): boolean {
  return status === 'running' || status === 'suspended'
}

export function unknownRun(run: string): Error {
  return faults.make('R2016', `the store has no run ${run}`, { run, fix: 'reflex runs' })
}

/** A question takes one answer: whoever comes later must know that. */
export function duplicateAnswer(run: string): Error {
  return faults.make('R2002', `an answer to this question of ${run} waits already`, {
    run,
    fix: `reflex show ${run}; it is taken when the run goes on`,
  })
}

/** An ended run takes no message in. */
export function endedRun(run: string, status: RunStatus): Error {
  return faults.make('R2001', `${run} has ${status}; nothing can be told to it`, {
    run,
    fix: 'start a new run',
  })
}
