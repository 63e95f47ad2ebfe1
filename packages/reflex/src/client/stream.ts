import { wait } from './host.ts'
import { delayOf, isTransient, type RouteCall, type Transport } from './transport.ts'
import type { Json } from './types.ts'

/** An event of a stream. */
export interface StreamEvent {
  /** The id with which a later stream continues after this event: the option `lastEventId`. */
  readonly id: string | undefined
  readonly event: string
  readonly data: { readonly [key: string]: Json }
}

/** The options of a stream. */
export interface StreamOptions {
  /** Ends the stream. */
  readonly signal?: AbortSignal
  /** Continues after the event with this id. */
  readonly lastEventId?: string
}

/** The most connections without an event in between before the stream fails. */
const MOST_TRIES = 8
/** Milliseconds before the next connection after the server has ended one. */
const PAUSE = 1000

/**
 * Yields the events of a stream. A connection that breaks off is made again with the id of the last event, so that nothing is lost or
 * repeated. Ends when the server has no more events, or when the signal is aborted. Throws `ReflexError` for a refusal, and if eight
 * connections in a row bring no event.
 */
export async function* streamOf(
  transport: Transport,
  call: RouteCall,
  { signal, lastEventId }: StreamOptions = {},
): AsyncGenerator<StreamEvent, void, undefined> {
  const stop = new AbortController()
  const end = (): void => stop.abort()
  if (signal?.aborted === true) return
  signal?.addEventListener('abort', end, { once: true })
  let last = lastEventId
  let tries = 0
  let isNew = false
  try {
    while (!stop.signal.aborted) {
      try {
        const headers = { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) }
        const response = await transport.fetch(call, headers, stop.signal)
        // The server has no more events and asks not to connect again.
        if (response.status === 204) return
        for await (const event of eventsIn(response)) {
          last = event.id ?? last
          tries = 0
          isNew = true
          yield event
        }
        if (!isNew) {
          if (tries++ >= MOST_TRIES) return
          await wait(PAUSE, stop.signal)
        }
        isNew = false
      } catch (thrown) {
        if (stop.signal.aborted) return
        // A refusal stays one; a broken connection is made again.
        if ((thrown instanceof Error && thrown.name === 'ReflexError' && !isTransient(thrown)) || tries >= MOST_TRIES) throw thrown
        await wait(delayOf(thrown, tries++), stop.signal)
      }
    }
  } finally {
    signal?.removeEventListener('abort', end)
    stop.abort()
  }
}

/** Yields the events of one connection. */
async function* eventsIn(response: Response): AsyncGenerator<StreamEvent, void, undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of partsOf(response)) {
    text += decoder.decode(part, { stream: true })
    const blocks = text.split(/\r?\n\r?\n/)
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = eventIn(block)
      if (event !== undefined) yield event
    }
  }
}

/** Not every browser can iterate over a body. */
async function* partsOf({ body }: Response): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader()
  try {
    for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) yield read.value
  } finally {
    await reader?.cancel().catch(() => undefined)
  }
}

/** Returns the event of a block; undefined for a comment. */
function eventIn(block: string): StreamEvent | undefined {
  const fields = new Map<string, string>()
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]+):? ?(.*)$/.exec(line) ?? []
    if (name !== '') fields.set(name, name === 'data' && fields.has(name) ? `${fields.get(name) ?? ''}\n${value}` : value)
  }
  const data = fields.get('data')
  if (data === undefined) return undefined
  return { id: fields.get('id'), event: fields.get('event') ?? 'message', data: JSON.parse(data) as StreamEvent['data'] }
}
