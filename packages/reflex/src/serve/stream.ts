import type { Host } from '../kernel/index.ts'
import type { StreamedEvent } from '../programs/route.ts'

/** The time between two comments that keep a stream open, in milliseconds. */
const PING_MS = 15_000
/** The most bytes that wait for a client. More is read from the journal when it has taken them. */
const MOST_WAITING = 64_000

/**
 * Writes events as server-sent events. It never buffers more than a bound. The stream of a client that has taken nothing between two pings,
 * although something waits for it, is broken off; the client continues with the last id that it received.
 */
export function eventStream(events: AsyncIterable<StreamedEvent>, host: Host, onEnd: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = events[Symbol.asyncIterator]()
  let stopPing: () => void = () => undefined
  let isOver = false
  let hasTaken = true
  const end = (): void => {
    if (isOver) return
    isOver = true
    stopPing()
    void iterator.return?.()
    onEnd()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const ping = (): void => {
          stopPing = host.at(
            host.now() + PING_MS,
            () => {
              if (isOver) return
              if (!hasTaken && (controller.desiredSize ?? 0) <= 0) {
                end()
                return controller.error(new Error('the client reads nothing'))
              }
              hasTaken = false
              controller.enqueue(encoder.encode(':\n\n'))
              ping()
            },
            true,
          )
        }
        controller.enqueue(encoder.encode('retry: 1000\n\n'))
        ping()
      },
      // Called only when the client has read what was sent: events wait in the journal, not here.
      async pull(controller) {
        hasTaken = true
        const next = await iterator.next()
        if (isOver) return
        if (next.done === true) {
          end()
          controller.close()
        } else controller.enqueue(encoder.encode(eventText(next.value)))
      },
      cancel: end,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING }),
  )
}

/** Returns an event in the form of the standard. Data is one line of JSON. */
function eventText({ id, event, data }: StreamedEvent): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`
  return `${head}${data === undefined ? '' : `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n`}\n`
}

/** Returns lines as a body that is read as fast as the client takes it. */
export function lineStream(lines: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = lines[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next()
      if (next.done === true) controller.close()
      else controller.enqueue(encoder.encode(`${next.value}\n`))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
