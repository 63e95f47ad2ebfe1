import type { Reflex } from '../../app/reflex.ts'
import { type JsonObject, keptRecords, type OpenWait, readRecords, State } from '../../kernel/index.ts'
import { plainJson, programName, utc } from '../../protocol/plain.ts'
import type { Page } from '../pages.ts'
import { openQuestions, recordEvent, type RunFold, statusOf } from '../run-fold.ts'
import type { EVENTS, Subscription } from './config.ts'

/** An event of a run that subscriptions can name. */
export interface RunEvent {
  /** The record that made it, and its number among the events of this record. */
  readonly at: number
  readonly index: number
  readonly type: (typeof EVENTS)[number]
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly data: JsonObject
}

/** The runs of a page with events that a subscription may take, with the first record of each. */
export function touchedRuns({ records }: Page, { events, kind, program }: Subscription): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const { run, n, opened, status, program: pin } of records) {
    const isWanted = (opened.length > 0 && events.includes('question')) || events.some((event) => event === status)
    const isOfProgram = pin === undefined || ((kind ?? pin[1]) === pin[1] && (program ?? programName(pin[0])) === programName(pin[0]))
    if (isWanted && isOfProgram && !found.has(run)) found.set(run, n)
  }
  return found
}

/** Reads the events of a run from a record on, in order. They are the same whenever they are read. */
export async function* eventsOfRun(reflex: Reflex, run: string, from: number, wanted: Subscription['events']): AsyncGenerator<RunEvent> {
  const { store, runtime } = reflex
  const first = Math.max(from, (await keptRecords(store, run)).first)
  // Loads the programs of all records.
  const { row } = await runtime.peek(run)
  const state = first === 1 ? new State() : (await runtime.peek(run, first - 1)).state
  const fold: RunFold = { state, definitions: reflex.programsOf(state) }
  let open = first === 1 ? new Map<OpenWait['id'], JsonObject>() : new Map(openQuestions(run, fold))
  for await (const record of readRecords(store, run, first, row.last)) {
    recordEvent(run, record, fold)
    const now = new Map(openQuestions(run, fold))
    let index = 0
    const [name, kind] = state.start?.pins[0] ?? ['', '']
    const status = statusOf(state)
    const make = (type: RunEvent['type'], more: object = {}): RunEvent => ({
      at: record[0],
      index: index++,
      type,
      time: state.time,
      data: plainJson({ run, record: record[0], kind, program: programName(name), status, ...more }),
    })
    const made: RunEvent[] = []
    for (const [id, question] of now) if (!open.has(id) && wanted.includes('question')) made.push(make('question', { question }))
    const type = wanted.find((event) => event === status)
    if (type !== undefined) made.push(make(type))
    yield* made
    open = now
  }
}

/** Returns the body of a delivery, as Standard Webhooks has it. */
export function bodyOf({ type, time, data }: RunEvent): string {
  return JSON.stringify({ type: `run.${type}`, timestamp: utc(time), data })
}
