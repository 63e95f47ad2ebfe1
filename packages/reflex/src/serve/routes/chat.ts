import { z } from 'zod'
import { SHARED_DOCUMENTS } from '../../protocol/schemas.ts'
import { ChatProjection } from '../chat/chunks.ts'
import { messageStream } from '../chat/message-stream.ts'
import { CHAT_REQUEST } from '../chat/request.ts'
import { lastTurn, takeTurn } from '../chat/turns.ts'
import { route } from '../define-route.ts'
import type { ServeRoute, ServeWorld } from '../world.ts'
import { RUN } from './parts.ts'

const CHAT = z.strictObject({ chat: z.string().min(1).max(200).describe('The id of a chat') })
const NOTHING = { status: 204, text: '', type: 'text/plain' }

/** Streams for pages that show the answers of models, in the protocol of the AI SDK. */
export const chatRoutes: readonly ServeRoute[] = [
  route({
    name: 'runs.chat',
    method: 'GET',
    url: '/v1/runs/{run}/chat',
    does: 'Streams the answers of the models of a run after record `after` as one message of the AI SDK, until the run rests.',
    scope: 'read',
    path: RUN,
    query: z.strictObject({ after: z.coerce.number().int().min(0).default(0) }),
    answers: { 200: 'text/event-stream', 204: 'The run rests, and has no record after this one' },
    async handle({ path, query: { after }, signal }, world) {
      const { id, last } = await world.reflex.find(path.run)
      if (after >= last && (await isAtRest(world, id))) return NOTHING
      return messageStream(world, { run: id, after: Math.min(after, last), until: last }, signal)
    },
  }),
  route({
    name: 'chat.send',
    method: 'POST',
    url: '/v1/chat',
    does: 'Takes a message of a chat of the AI SDK: the first one starts a run, the others answer its question or its wait. Streams the answer.',
    scope: 'start',
    body: CHAT_REQUEST,
    answers: { 200: 'text/event-stream', 409: SHARED_DOCUMENTS.error },
    async handle({ body, ...origin }, world) {
      const turn = await takeTurn(world, body, origin)
      return messageStream(world, { ...turn, until: turn.after + 1 }, origin.signal)
    },
  }),
  route({
    name: 'chat.resume',
    method: 'GET',
    url: '/v1/chat/{chat}/stream',
    does: 'Streams the answer to the last message of a chat again from its beginning, while it is under way.',
    scope: 'read',
    path: CHAT,
    answers: { 200: 'text/event-stream', 204: 'No answer is under way' },
    async handle({ path: { chat }, signal }, world) {
      const turn = await lastTurn(world, chat)
      const { row } = (await world.reflex.store.read(chat, 0)) ?? {}
      if (turn === undefined || row === undefined || row.last === 0) return NOTHING
      if (row.last > turn.after && (await isAtRest(world, chat))) return NOTHING
      return messageStream(world, { ...turn, until: turn.after + 1 }, signal)
    },
  }),
]

async function isAtRest({ reflex }: ServeWorld, run: string): Promise<boolean> {
  const { state } = await reflex.runtime.peek(run)
  return new ChatProjection(run, { state, definitions: reflex.programsOf(state) }).isAtRest
}
