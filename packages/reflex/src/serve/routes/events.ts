import { z } from 'zod'
import { SHARED_DOCUMENTS } from '../../protocol/schemas.ts'
import type { RunStatus } from '../../kernel/index.ts'
import { programDocument } from '../../protocol/documents.ts'
import type { StreamedEvent } from '../../programs/route.ts'
import type { FollowedRecord } from '../feed.ts'
import { route } from '../define-route.ts'
import type { ServeRoute, ServeWorld } from '../world.ts'
import { inboxEvents } from '../inbox-stream.ts'
import { notContinued, readStreamId, streamId, type StreamPosition } from '../stream-id.ts'
import type { StreamedRecord } from '../pages.ts'
import { FILTER, RUN } from './parts.ts'

/** Streams of events. */
export const eventRoutes: readonly ServeRoute[] = [
  route({
    name: 'runs.events',
    method: 'GET',
    url: '/v1/runs/{run}/events',
    does: 'Streams the durable records of a run, from the first one, from record `after`, or from Last-Event-ID, until the run has ended.',
    scope: 'read',
    path: RUN,
    query: z.strictObject({ after: z.coerce.number().int().min(0).optional() }),
    answers: { 200: 'text/event-stream', 204: 'The run has ended, and every record of it has been sent', 410: SHARED_DOCUMENTS.error },
    async handle({ path, query, header, signal }, { reflex, feeds }) {
      const { id, last, status } = await reflex.find(path.run)
      const seen = header('last-event-id')
      const after = seen === undefined ? (query.after ?? 0) : recordIn(seen, id, last)
      const hasEnded = status === 'completed' || status === 'failed' || status === 'cancelled'
      // The standard: a client that gets 204 does not connect again.
      if (hasEnded && after >= last) return { status: 204, text: '', type: 'text/plain' }
      return { events: eventsOf(feeds.follow(id, after, signal)) }
    },
  }),
  route({
    name: 'runs.eventsOfAll',
    method: 'GET',
    url: '/v1/runs/events',
    does: 'Streams the durable records of the runs that match a filter, from now on or from Last-Event-ID, without an end.',
    scope: 'read',
    query: z.strictObject(FILTER),
    answers: { 200: 'text/event-stream', 410: SHARED_DOCUMENTS.error },
    async handle({ query, header, signal }, world) {
      const { pages } = world.feeds
      const from = await positionOf(header('last-event-id'), world)
      return {
        events: matchingEvents(query, from ?? { place: await pages.end() }, (start) => pages.follow(start, signal), from === undefined),
      }
    },
  }),
  route({
    name: 'questions.events',
    method: 'GET',
    url: '/v1/questions/events',
    does: 'Streams the inbox: all open questions and the event `inbox`, then `question` and `answered` as they happen; after Last-Event-ID only what changed since.',
    scope: 'read',
    answers: { 200: 'text/event-stream', 410: SHARED_DOCUMENTS.error },
    async handle({ header, signal }, world) {
      const from = await positionOf(header('last-event-id'), world)
      const { pages } = world.feeds
      return { events: inboxEvents({ reflex: world.reflex, pages }, from, (start) => pages.follow(start, signal)) }
    },
  }),
]

/** Returns the record of an id of the stream of one run. Throws `R6030`. */
function recordIn(seen: string, run: string, last: number): number {
  const [, of, record] = /^([^@]+)@(\d{1,9})$/.exec(seen) ?? []
  if (of !== run) throw notContinued(seen, `it is not an id of the stream of ${run}`)
  if (Number(record) > last) throw notContinued(seen, `${run} has ${last} records`)
  return Number(record)
}

interface Filter {
  readonly status?: readonly RunStatus[] | undefined
  readonly kind?: string | undefined
  readonly program?: string | undefined
}

/** Yields the records of the runs that match a filter as events. A run matches a status if it has it after the record. */
async function* matchingEvents(
  { status, kind, program }: Filter,
  from: StreamPosition,
  follow: (from: StreamPosition) => AsyncGenerator<StreamedRecord | string>,
  isNew: boolean,
): AsyncGenerator<StreamedEvent> {
  if (isNew) yield { id: streamId(from), event: 'begin', data: { v: 1 } }
  for await (const found of follow(from)) {
    if (typeof found === 'string') yield { id: found }
    else if (found.failure !== undefined) yield { id: found.id, event: 'unreadable', data: found.data }
    else if (found.program !== undefined) {
      const [name, ofKind] = found.program
      if ((program ?? name) !== name || (kind ?? ofKind) !== ofKind || status?.includes(found.status) === false) continue
      yield { id: found.id, event: 'record', data: { ...found.data, program: programDocument(found.program), status: found.status } }
    }
  }
}

/** Returns the position of an id of a stream of many runs. Throws `R6030`, before the stream begins. */
async function positionOf(id: string | undefined, { reflex, feeds }: ServeWorld): Promise<StreamPosition | undefined> {
  if (id === undefined) return undefined
  const position = readStreamId(id)
  const { place, sent } = position
  if (sent !== undefined) {
    const { row } = (await reflex.store.read(sent.run, 0)) ?? {}
    if (row === undefined || row.last < sent.record) throw notContinued(id, `the store has no record ${sent.run}@${sent.record}`)
  }
  await feeds.pages.batches(place, 1)
  return position
}

async function* eventsOf(records: AsyncIterable<FollowedRecord>): AsyncGenerator<StreamedEvent> {
  for await (const { event } of records) yield event
}
