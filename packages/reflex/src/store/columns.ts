import {
  faults,
  type Json,
  type Pin,
  takesTopic,
  type Base,
  type Batch,
  type Message,
  type OpenWait,
  type RowUsage,
  type RunRow,
  type RunStatus,
  type Worker,
} from '../kernel/index.ts'

/** The columns of a run's row. JSON is stored as text, so a stored value and the value read back share no object. */
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

/** Returns the columns of a run that has no records yet. */
export function newColumns(row: Omit<RunRow, 'owner' | 'last'>, base?: Base): RunColumns {
  const { id, trace, started } = row
  return { id, trace, program: JSON.stringify(row.program), started, last: base?.at ?? 0, ...movingColumns(row) }
}

/** Returns the columns that a commit changes. */
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

/** Returns the row as the contract defines it. Throws `R5003` if a JSON column is damaged. */
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

/** The columns of a message. */
export interface MessageColumns {
  readonly id: string
  readonly type: Message['type']
  readonly target: string
  /** The body as JSON; the reason of an answer follows on a second line. */
  readonly body: string
  readonly sender: string | null
  readonly at: number
}

/**
 * Returns the columns of a message. Throws `R2004` if a field is not a string: SQLite would convert it, and the
 * checksum would not match.
 */
export function messageColumns({ id, type, to, body, by, reason, at }: Message): MessageColumns {
  for (const [name, value] of Object.entries({ id, to, by: by ?? '', reason: reason ?? '' }))
    if (typeof value !== 'string') throw faults.make('R2004', `${name} of a message is a ${typeof value}; it must be a string`)
  const why = reason === undefined ? '' : `\n${JSON.stringify(reason)}`
  return { id, type, target: to, body: `${JSON.stringify(body)}${why}`, sender: by ?? null, at }
}

/** Returns the message of these columns. Throws `R5003` if its body is not JSON. */
export function messageOf({ id, type, target, body, sender, at }: MessageColumns, run: string): Message {
  const [first = '', second] = body.split('\n')
  const read = (part: string): Json => parseJson(part, `message ${id}`, run)
  const reason = second === undefined ? undefined : read(second)
  return {
    id,
    type,
    to: target,
    body: read(first),
    ...(sender === null ? {} : { by: sender }),
    ...(typeof reason === 'string' ? { reason } : {}),
    at,
  }
}

/** Parses JSON that a store wrote. Throws `R5003` if the text is not JSON. */
export function parseJson(text: string, what: string, run?: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    throw corruption(what, run, cause)
  }
}

/** Returns the fault `R5003` for stored data that is not what was written. */
export function corruption(what: string, run?: string, cause?: unknown): Error {
  return faults.make('R5003', `${what} is not what was written`, { run, cause, fix: 'restore the store from a copy' })
}

/**
 * True if a message on one of these topics meets an open wait in the row of a run, or if the row is damaged: resuming
 * the run reports the damage.
 */
export function isAwaited(waits: string, topics: readonly string[]): boolean {
  if (topics.length === 0) return false
  try {
    const open = JSON.parse(waits) as readonly OpenWait[]
    return open.some(({ type, name, frame = '' }) => type === 'message' && topics.some((topic) => takesTopic({ name, frame }, topic)))
  } catch {
    return true
  }
}

/** True if a run with this status can still be advanced. */
export function isOpen(status: RunStatus): boolean {
  return status === 'running' || status === 'suspended'
}

/** Returns the fault `R2016` for a run that the store does not have. */
export function unknownRun(run: string): Error {
  return faults.make('R2016', `the store has no run ${run}`, { run, fix: 'reflex runs' })
}

/** Returns the fault `R2002` for a second answer: a question takes one. */
export function duplicateAnswer(run: string): Error {
  return faults.make('R2002', `an answer to this question of ${run} is already waiting`, {
    run,
    fix: `reflex show ${run}; the run reads the answer when it continues`,
  })
}

/** Returns the fault `R2001` for a message to a run that has ended. */
export function endedRun(run: string, status: RunStatus): Error {
  return faults.make('R2001', `${run} has ${status}; it takes no more messages`, {
    run,
    fix: 'start a new run',
  })
}
