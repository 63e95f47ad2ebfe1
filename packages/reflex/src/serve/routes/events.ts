import { z } from 'zod'
import { readAddress } from '../../runs/address.ts'
import type { StreamedEvent } from '../../programs/route.ts'
import type { FollowedRecord } from '../feed.ts'
import { route } from '../define-route.ts'
import type { ServeRoute } from '../world.ts'
import { RUN } from './parts.ts'

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
    answers: { 200: 'text/event-stream', 204: 'The run has ended, and every record of it has been sent' },
    async handle({ path, query, header, signal }, { reflex, feeds }) {
      const { id, last, status } = await reflex.find(path.run)
      const seen = header('last-event-id')
      const after = seen === undefined ? (query.after ?? 0) : (readAddress(seen).at ?? 0)
      const hasEnded = status === 'completed' || status === 'failed' || status === 'cancelled'
      // The standard: a client that gets 204 does not connect again.
      if (hasEnded && after >= last) return { status: 204, text: '', type: 'text/plain' }
      return { events: eventsOf(feeds.follow(id, after, signal)) }
    },
  }),
]

async function* eventsOf(records: AsyncIterable<FollowedRecord>): AsyncGenerator<StreamedEvent> {
  for await (const { event } of records) yield event
}
