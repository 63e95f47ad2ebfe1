import { readPart, State } from '../../kernel/index.ts'
import type { RouteAnswer, StreamedEvent } from '../../programs/route.ts'
import type { ServeWorld } from '../world.ts'
import { ChatProjection, type Chunk } from './chunks.ts'

/** The records of a run that are one message. */
interface MessageRecords {
  readonly run: string
  /** The message begins with the record after this one. */
  readonly after: number
  /** The message ends where the run rests, at this record or later. */
  readonly until: number
}

/** Returns the stream of a message in the protocol of the AI SDK. The id of an event is the address of its record. */
export function messageStream(world: ServeWorld, records: MessageRecords, signal: AbortSignal): RouteAnswer {
  return { events: messageEvents(world, records, signal), headers: { 'x-vercel-ai-ui-message-stream': 'v1' } }
}

async function* messageEvents(
  { reflex, feeds }: ServeWorld,
  { run, after, until }: MessageRecords,
  signal: AbortSignal,
): AsyncGenerator<StreamedEvent> {
  // Also loads the programs of the run.
  const peek = await reflex.runtime.peek(run, after === 0 ? undefined : after)
  const state = after === 0 ? (await readPart(reflex.store, run, 1)).opening() : peek.state
  const projection = new ChatProjection(run, { state: state ?? new State(), definitions: reflex.programsOf(state) })
  yield event({ type: 'start', messageId: `${run}@${after + 1}` })
  for await (const { n, record } of feeds.follow(run, after, signal)) {
    const chunks = projection.add([n, record])
    for (const [i, chunk] of chunks.entries()) yield event(chunk, i === chunks.length - 1 ? `${run}@${n}` : undefined)
    if (n >= until && projection.isAtRest) break
  }
  if (signal.aborted) return
  for (const chunk of [...projection.end(), { type: 'finish' }]) yield event(chunk)
  yield { data: '[DONE]' }
}

function event(data: Chunk, id?: string): StreamedEvent {
  return { data, ...(id === undefined ? {} : { id }) }
}
