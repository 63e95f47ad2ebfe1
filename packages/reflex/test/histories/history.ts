import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  blobsOf,
  digest,
  type Json,
  type Pin,
  type RunStatus,
  type State,
  type Store,
  type StoredBatch,
  type StoredProgram,
  summary,
} from '../../src/kernel/index.ts'
import type { Reflex } from '../../src/app/reflex.ts'

/** Where histories are kept: a folder for each format, in it one for each history. */
export const HISTORIES = resolve(import.meta.dirname, '../../../../histories')

/** How a run that stopped in the middle is gone on with, and how it ends then. */
export interface Continuation {
  /** Milliseconds that pass before it is opened. */
  readonly after: number
  /** Milliseconds that pass after it is opened. */
  readonly advance?: number
  /** Tools without a deed of their own: what each answers with. */
  readonly tools?: Readonly<Record<string, Json>>
  /** Questions in their order, each with its answer. */
  readonly answers: readonly (readonly [question: string, answer: Json])[]
  readonly status: RunStatus
  /** Absent: any. */
  readonly value?: Json
}

/** What a journal says in the end, in words that no release has to change. */
export interface Portrait {
  readonly records: number
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly ended: Json
  readonly frames: readonly Json[]
  readonly waits: readonly Json[]
  readonly effects: readonly Json[]
}

/** What `history.json` holds. */
export interface Description {
  readonly about: string
  readonly run: string
  readonly trace: string
  readonly program: Pin
  readonly started: number
  readonly end: Portrait
  readonly then?: Continuation
}

/** A journal as a release wrote it, and what must come of it. */
export interface StoredHistory extends Description {
  readonly name: string
  readonly programs: readonly StoredProgram[]
  readonly batches: readonly StoredBatch[]
  readonly blobs: ReadonlyMap<string, string>
  /** The snapshots of its seals, by their records. */
  readonly seals: ReadonlyMap<number, string>
  /** The lines of its archive; empty for a run that was never sealed. */
  readonly archive: readonly string[]
}

/** The names of all histories: `1/refund`. */
export function historyNames(): string[] {
  return readdirSync(HISTORIES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((format) => readdirSync(join(HISTORIES, format.name)).map((name) => `${format.name}/${name}`))
    .sort()
}

export function readHistory(name: string): StoredHistory {
  const folder = join(HISTORIES, name)
  const description = JSON.parse(readFileSync(join(folder, 'history.json'), 'utf8')) as Description
  const programs = linesOf(join(folder, 'programs.jsonl')).map((line) => {
    const { source, ...program } = JSON.parse(line) as { hash: string; kind: string; source: Json }
    return { ...program, source: JSON.stringify(source) }
  })
  const blobs = linesOf(join(folder, 'blobs.jsonl')).map((line) => {
    const { hash, value } = JSON.parse(line) as { hash: string; value: Json }
    return [hash, JSON.stringify(value)] as const
  })
  const seals = linesOf(join(folder, 'seals.jsonl')).map((line) => {
    const { at, snapshot } = JSON.parse(line) as { at: number; snapshot: Json }
    return [at, JSON.stringify(snapshot)] as const
  })
  return {
    ...description,
    name,
    programs,
    seals: new Map(seals),
    archive: linesOf(join(folder, 'archive.jsonl')),
    batches: batchesOf(linesOf(join(folder, 'journal.jsonl'))),
    blobs: new Map(blobs),
  }
}

function linesOf(file: string): string[] {
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
}

/** A line for each batch, then its records as they were written. */
function batchesOf(lines: readonly string[]): StoredBatch[] {
  const batches: StoredBatch[] = []
  for (let i = 0; i < lines.length; ) {
    const head = JSON.parse(lines[i] ?? '') as Omit<StoredBatch, 'body'>
    batches.push({ ...head, body: `[${lines.slice(i + 1, i + 1 + head.count).join(',\n')}]` })
    i += 1 + head.count
  }
  return batches
}

/** Keeps a run of a store as a history. */
export async function writeHistory(name: string, about: string, reflex: Reflex, run: string, then?: Continuation): Promise<void> {
  const { runtime, store } = reflex
  const { row, state } = await runtime.peek(run)
  const { trace, program, started } = row
  const batches = await store.journal(run)
  const description: Description = {
    about,
    run,
    trace,
    program,
    started,
    end: portrait(state),
    ...(then === undefined ? {} : { then }),
  }
  const folder = join(HISTORIES, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'history.json'), `${JSON.stringify(description, null, 2)}\n`)
  const journal = batches.flatMap(({ body, ...head }) => [JSON.stringify(head), ...body.slice(1, -1).split(',\n')])
  writeFileSync(join(folder, 'journal.jsonl'), `${journal.join('\n')}\n`)
  const programs: string[] = []
  for (const [, , , hash] of state.pins) {
    const kept = await store.program(hash)
    if (kept !== undefined) programs.push(JSON.stringify({ ...kept, source: JSON.parse(kept.source) as Json }))
  }
  writeFileSync(join(folder, 'programs.jsonl'), `${[...new Set(programs)].join('\n')}\n`)
  const blobs: string[] = []
  for (const hash of batches.flatMap(({ body }) => blobsOf(body)))
    blobs.push(JSON.stringify({ hash, value: JSON.parse((await store.blob(hash)) ?? 'null') as Json }))
  if (blobs.length > 0) writeFileSync(join(folder, 'blobs.jsonl'), `${[...new Set(blobs)].join('\n')}\n`)
  const seals: string[] = []
  for (const { number, sealed, last } of await store.segments(run)) {
    const next = sealed ? await store.segment(run, number + 1) : undefined
    if (next?.snapshot !== undefined) seals.push(JSON.stringify({ at: last, snapshot: JSON.parse(next.snapshot.body) as Json }))
  }
  if (seals.length === 0) return
  writeFileSync(join(folder, 'seals.jsonl'), `${seals.join('\n')}\n`)
  const archive: string[] = []
  for await (const line of reflex.export(run)) archive.push(line)
  writeFileSync(join(folder, 'archive.jsonl'), `${archive.join('\n')}\n`)
}

/** Puts a history into a store, as if its run had just been left. */
export async function restore(
  history: StoredHistory,
  store: Store,
  state: State,
  definitions: Parameters<typeof summary>[1],
): Promise<void> {
  const { run, trace, program, started, programs, batches, blobs, seals } = history
  const worker = { id: 'the release', host: 'release.example.org', pid: 4_000_000 }
  await store.hello(worker, started, 1000)
  const begun = { id: run, trace, program, status: 'running', started, updated: started, due: null, waits: [] } as const
  const lease = await store.create(begun, worker)
  if (lease === 'taken') throw new Error(`${run} is there already`)
  const status = state.ended !== undefined ? ENDED[state.ended.status] : state.waits.size > 0 ? 'suspended' : 'running'
  for (const [i, batch] of batches.entries()) {
    const row = i < batches.length - 1 ? begun : summary(state, definitions, status)
    const snapshot = seals.get(batch.first + batch.count - 1)
    const sealed = snapshot === undefined ? {} : ({ seal: true, snapshot } as const)
    const refused = await store.commit([{ ...batch, lease, row, ...sealed, ...(i === 0 ? { programs, blobs } : {}) }])
    if (refused.length > 0) throw new Error(`the store refuses ${run}`)
  }
  await store.release(lease)
}

const ENDED = { done: 'completed', failed: 'failed', cancelled: 'cancelled' } as const

/** What a state looks like: where every frame stands, what it knows, and what is open. Long texts stand by their hash. */
export function portrait(state: State): Portrait {
  const ended = state.ended === undefined ? null : [state.ended.status, state.ended.value ?? null]
  const picture = {
    records: state.n,
    time: state.time,
    ended,
    frames: [...state.frames.values()].map((frame) => ({
      frame: frame.id,
      program: state.pins[frame.pin]?.[0],
      position: frame.position ?? null,
      board: [...frame.scope.liveEntries()].map(([key, { value, record }]) => ({ key, value, record })),
    })),
    waits: [...state.waits.values()].map(({ id, type, name, number, due = null, about = null }) => ({
      id,
      type,
      name,
      number,
      due,
      about,
    })),
    effects: [...state.pendingEffects()].map(({ id, port }) => ({ id, port })),
  }
  return JSON.parse(JSON.stringify(picture, (_, value: unknown) => (isLong(value) ? `a text, ${digest(value)}` : value))) as Portrait
}

function isLong(value: unknown): value is string {
  return typeof value === 'string' && value.length > 1000
}
