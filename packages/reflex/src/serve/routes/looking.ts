import { z } from 'zod'
import { diffDocument, showDocument, traceDocument } from '../../protocol/view-document.ts'
import { RecordWriter } from '../../protocol/record-document.ts'
import { plainJson } from '../../protocol/plain.ts'
import { runDocument } from '../../protocol/documents.ts'
import { SHARED_DOCUMENTS } from '../../protocol/schemas.ts'
import { list, run, v } from '../../protocol/shapes.ts'
import { route } from '../define-route.ts'
import type { ServeRoute } from '../world.ts'
import { addressOf, AT, goneAmong, LIMIT, RUN } from './parts.ts'

const STATUS = z.enum(['running', 'suspended', 'completed', 'failed', 'cancelled'])

/** Requests that only look. */
export const lookingRoutes: readonly ServeRoute[] = [
  route({
    name: 'runs.list',
    method: 'GET',
    url: '/v1/runs',
    does: 'Lists runs, the newest first.',
    scope: 'read',
    query: z.strictObject({
      status: STATUS.optional(),
      kind: z.string().optional(),
      program: z.string().optional().describe('kind:name'),
      limit: LIMIT,
    }),
    answers: { 200: z.object({ v, runs: list(run), more: z.boolean() }) },
    async handle({ query: { status, kind, program, limit } }, world) {
      const all = await world.reflex.runs({
        ...(status === undefined ? {} : { status: [status] }),
        ...(kind === undefined && program === undefined ? { limit: limit + 1 } : {}),
      })
      const rows = all
        .filter(({ program: [name, ofKind] }) => (kind ?? ofKind) === ofKind && (program ?? name) === name)
        .slice(0, limit + 1)
      const gone = await goneAmong(world, rows)
      const runs = rows.slice(0, limit).map((row) => runDocument(row, gone.has(row.id)))
      return { json: plainJson({ v: 1, runs, more: rows.length > limit }) }
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
    name: 'runs.archive',
    method: 'GET',
    url: '/v1/runs/{run}/archive',
    does: 'Exports a run as the lines of an archive.',
    scope: 'admin',
    path: RUN,
    answers: { 200: 'application/jsonl' },
    handle: ({ path }, { reflex }) => ({ lines: reflex.export(path.run), type: 'application/jsonl' }),
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
      const text = await reflex.store.blob(path.hash)
      return text === undefined ? { status: 404, json: { v: 1 } } : { text, type: 'application/json' }
    },
  }),
]
