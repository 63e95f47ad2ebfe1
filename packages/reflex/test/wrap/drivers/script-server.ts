import type { Fields } from '../../../src/wrap/dialects/loose.ts'
import type { Fixture } from '../dialects/fixture.ts'
import type { DrivenModel } from '../driver.ts'

/** Returns a `fetch` that answers as a provider does: JSON, or server-sent events for a request with `stream`. */
export function scriptedFetch(fixture: Fixture, model: DrivenModel): typeof fetch {
  return async (_, init) => {
    const request = JSON.parse(init?.body as string) as Fields
    const said = await model.reply(request)
    const headers = { 'x-request-id': 'req_1', 'request-id': 'req_1' }
    if (request['stream'] !== true) return Response.json(fixture.response(said), { headers })
    const events = fixture.chunks(said, 3).map((chunk) => {
      const { type } = chunk
      return `${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(chunk)}\n\n`
    })
    const { signal } = init ?? {}
    const body = ReadableStream.from(eventsUntil([...events, 'data: [DONE]\n\n'], signal ?? undefined))
    return new Response(body, { headers: { ...headers, 'content-type': 'text/event-stream' } })
  }
}

/** A network ends a body with an error when its request is aborted. */
async function* eventsUntil(events: readonly string[], signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for (const event of events) {
    signal?.throwIfAborted()
    yield encoder.encode(event)
  }
}
