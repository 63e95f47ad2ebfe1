import type { Host } from '../kernel/index.ts'
import type { StreamedEvent } from '../programs/route.ts'
import { errorDocument } from '../protocol/documents.ts'
import { failureOf } from './status.ts'

/** The time between two comments that keep a stream open, in milliseconds. */
const PING_MS = 15_000
/** The most bytes that wait for a client. More is read from the journal when it has taken them. */
const MOST_WAITING = 64_000

/** The end of a stream. */
interface StreamEnd {
  /** Called once, however it ends. */
  readonly onEnd: () => void
  /** Closes the connection of a client that reads nothing. */
  readonly cut: () => void
}

/**
 * Writes events as server-sent events. It never buffers more than a bound. The stream of a client that has taken nothing between two pings,
 * although something waits for it, is cut off; the client continues with the last id that it received. A failure is the last event, `error`.
 */
export function eventStream(events: AsyncIterable<StreamedEvent>, host: Host, { onEnd, cut }: StreamEnd): ReadableStream<Uint8Array> {
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
                return cut()
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
        try {
          const next = await iterator.next()
          if (isOver) return
          if (next.done !== true) return controller.enqueue(encoder.encode(eventText(next.value)))
        } catch (thrown) {
          if (isOver) return
          controller.enqueue(encoder.encode(eventText({ event: 'error', data: errorDocument(failureOf(thrown).fault) })))
        }
        end()
        controller.close()
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
      try {
        const next = await iterator.next()
        if (next.done === true) controller.close()
        else controller.enqueue(encoder.encode(`${next.value}\n`))
      } catch (thrown) {
        // The client sees that the body is not complete, and no words of an unknown error.
        const { code, message } = failureOf(thrown).fault
        controller.error(new Error(`${code} ${message}`))
      }
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
