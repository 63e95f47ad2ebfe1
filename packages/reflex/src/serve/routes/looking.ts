import { z } from 'zod'
import { costDocument, diffDocument, effectsDocument, showDocument, traceDocument } from '../../protocol/view-document.ts'
import { RecordWriter } from '../../protocol/record-document.ts'
import { plainJson } from '../../protocol/plain.ts'
import { runDocument } from '../../protocol/documents.ts'
import { SHARED_DOCUMENTS } from '../../protocol/schemas.ts'
import { list, run, text, v } from '../../protocol/shapes.ts'
import { serveFaults } from '../../protocol/faults.ts'
import { effectsOfPart, usageByPlace } from '../../history/effects.ts'
import { keptRecords, readPart, type RunRow, type State, type Store } from '../../kernel/index.ts'
import type { ViewedPrograms } from '../../programs/kinds.ts'
import { listRuns } from '../../runs/listing.ts'
import { route } from '../define-route.ts'
import type { ServeRoute } from '../world.ts'
import { addressOf, AT, FILTER, goneAmong, LIMIT, RUN } from './parts.ts'

const TIME = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .optional()

/** Returns the cursor of the page after a run: its id, and the beginning of its trace, which no other run has. */
function cursorOf({ id, trace }: RunRow): string {
  return `${id}~${trace.slice(0, 12)}`
}

/** Returns the run of a cursor. Throws `R6010` for a cursor that is damaged or of another store. */
async function readCursor(store: Store, cursor: string): Promise<string> {
  const id = cursor.slice(0, Math.max(0, cursor.lastIndexOf('~')))
  const { row } = (id === '' ? undefined : await store.read(id, 0)) ?? {}
  if (row !== undefined && cursorOf(row) === cursor) return id
  throw serveFaults.make('R6010', `the cursor ${JSON.stringify(cursor)} is not of this store, or its run is removed`)
}

/** Requests that only look. */
export const lookingRoutes: readonly ServeRoute[] = [
  route({
    name: 'runs.list',
    method: 'GET',
    url: '/v1/runs',
    does: 'Lists runs, the newest first.',
    scope: 'read',
    query: z.strictObject({
      ...FILTER,
      since: TIME.describe('Runs that changed at this time or later'),
      until: TIME.describe('Runs that last changed before this time'),
      cursor: z.string().max(300).optional().describe('`next` of the page before'),
      limit: LIMIT,
    }),
    answers: { 200: z.object({ v, runs: list(run), more: z.boolean(), next: text.optional().describe('The cursor of the next page') }) },
    async handle({ query: { cursor, ...filter } }, { reflex }) {
      const { store } = reflex
      const after = cursor === undefined ? undefined : await readCursor(store, cursor)
      // Whether a process of another machine lives is known from its heartbeat.
      const processes = { now: reflex.host.now(), isAlive: () => true }
      const wanted = Object.entries({ ...filter, after }).filter(([, value]) => value !== undefined)
      const { rows, gone, more } = await listRuns(store, processes, Object.fromEntries(wanted))
      const last = rows.at(-1)
      const next = more && last !== undefined ? cursorOf(last) : undefined
      return { json: plainJson({ v: 1, runs: rows.map((row) => runDocument(row, gone.has(row.id))), more, next }) }
    },
  }),
  route({
    name: 'runs.get',
    method: 'GET',
    url: '/v1/runs/{run}',
    does: 'Returns the state of a run, now or after one of its records.',
    scope: 'read',
    path: RUN,
    query: z.strictObject({ at: AT }),
    answers: { 200: SHARED_DOCUMENTS.show },
    async handle({ path, query }, world) {
      const view = await world.reflex.show(addressOf(path, query.at))
      return { json: showDocument(view, (await goneAmong(world, [view.row])).has(view.row.id)) }
    },
  }),
  route({
    name: 'runs.trace',
    method: 'GET',
    url: '/v1/runs/{run}/trace',
    does: 'Returns the story of a run, record by record.',
    scope: 'read',
    path: RUN,
    query: z.strictObject({ at: AT, from: AT, tail: z.coerce.number().int().min(1).max(10_000).optional() }),
    answers: { 200: SHARED_DOCUMENTS.trace },
    async handle({ path, query: { at, from, tail } }, world) {
      const traced = await world.reflex.trace(addressOf(path, at), { from, tail })
      return { json: traceDocument(traced, (await goneAmong(world, [traced.row])).has(traced.row.id)) }
    },
  }),
  route({
    name: 'runs.why',
    method: 'GET',
    url: '/v1/runs/{run}/why',
    does: 'Returns the causes of a value, a decision or a record (`@21`), or of a `node` in an episode (`E554`) or in part `part` of record `at`.',
    scope: 'read',
    path: RUN,
    query: z.strictObject({
      what: z.string().min(1).optional(),
      node: z.string().min(1).optional(),
      at: AT,
      part: z.coerce.number().int().min(1).optional(),
    }),
    answers: { 200: SHARED_DOCUMENTS.why },
    async handle({ path, query: { what, node, at, part } }, { reflex }) {
      const address = part === undefined ? addressOf(path, at) : `${addressOf(path, at)}.${part}`
      const cause = await reflex.why(address, what, node)
      return { json: plainJson({ v: 1, run: (await reflex.find(path.run)).id, cause }) }
    },
  }),
  route({
    name: 'runs.diff',
    method: 'GET',
    url: '/v1/diff',
    does: 'Returns the differences between two runs, or between two records of one run.',
    scope: 'read',
    query: z.strictObject({ one: z.string().min(1), other: z.string().min(1) }),
    answers: { 200: SHARED_DOCUMENTS.diff },
    handle: async ({ query }, { reflex }) => ({ json: diffDocument(await reflex.diff(query.one, query.other)) }),
  }),
  route({
    name: 'runs.records',
    method: 'GET',
    url: '/v1/runs/{run}/records',
    does: 'Returns records of a run by number. `next` is the first record of the next page.',
    scope: 'read',
    path: RUN,
    query: z.strictObject({ from: z.coerce.number().int().min(1).default(1), limit: LIMIT }),
    answers: { 200: z.object({ v, records: list(SHARED_DOCUMENTS.record), next: z.number().optional() }) },
    async handle({ path, query: { from, limit } }, { reflex, records: recordsOf }) {
      const { id, last } = await reflex.find(path.run)
      const until = Math.min(last, from + limit - 1)
      const before = from === 1 ? undefined : (await reflex.runtime.peek(id, Math.min(from - 1, last))).state
      const writer = new RecordWriter(id, before?.pins.map(([name]) => name) ?? [], before?.time ?? 0)
      const records: unknown[] = []
      if (from <= last) for await (const [n, record] of recordsOf(id, from, until)) records.push(writer.document(record, n))
      return { json: plainJson({ v: 1, records, ...(until < last ? { next: until + 1 } : {}) }) }
    },
  }),
  route({
    name: 'runs.effects',
    method: 'GET',
    url: '/v1/runs/{run}/effects',
    does: 'Lists the effects of a run with their requests and outcomes, in the order in which they were requested. `next` is the `from` of the next page.',
    scope: 'read',
    path: RUN,
    query: z.strictObject({ from: z.coerce.number().int().min(1).default(1), limit: LIMIT }),
    answers: { 200: SHARED_DOCUMENTS.effects },
    async handle({ path, query: { from, limit } }, { reflex }) {
      const { id, last } = (await reflex.runtime.peek((await reflex.find(path.run)).id)).row
      if (from > last) return { json: effectsDocument(id, { effects: [] }) }
      const { first } = await keptRecords(reflex.store, id)
      const part = await readPart(reflex.store, id, Math.max(from, first), last)
      const definitionsFor = (state: State): ViewedPrograms => reflex.programsOf(state)
      return { json: effectsDocument(id, await effectsOfPart(part, { from, limit, definitionsFor })) }
    },
  }),
  route({
    name: 'runs.cost',
    method: 'GET',
    url: '/v1/runs/{run}/cost',
    does: 'Returns the meter of a run: what it has used and may use, and the usage of each program and node.',
    scope: 'read',
    path: RUN,
    answers: { 200: SHARED_DOCUMENTS.cost },
    async handle({ path }, { reflex }) {
      const { row, state } = await reflex.runtime.peek((await reflex.find(path.run)).id)
      const part = await readPart(reflex.store, row.id, (await keptRecords(reflex.store, row.id)).first, row.last)
      const places = await usageByPlace(part, (opening) => reflex.programsOf(opening))
      return { json: costDocument(row.id, state, places) }
    },
  }),
  route({
    name: 'runs.archive',
    method: 'GET',
    url: '/v1/runs/{run}/archive',
    does: 'Exports a run as the lines of an archive.',
    scope: 'admin',
    path: RUN,
    answers: { 200: 'application/jsonl' },
    async handle({ path }, { reflex }) {
      // A run that is not there is refused before the first line is sent.
      const { id } = await reflex.find(path.run)
      return { lines: reflex.export(id), type: 'application/jsonl' }
    },
  }),
  route({
    name: 'blobs.get',
    method: 'GET',
    url: '/v1/blobs/{hash}',
    does: 'Returns a large value by its hash.',
    scope: 'read',
    path: z.strictObject({ hash: z.string().regex(/^[0-9a-f]{16,128}$/) }),
    answers: { 200: 'application/json' },
    async handle({ path }, { reflex }) {
      const blob = await reflex.store.blob(path.hash)
      if (blob === undefined) throw serveFaults.make('R6081', `there is no value ${path.hash}`)
      return { text: blob, type: 'application/json' }
    },
  }),
]
