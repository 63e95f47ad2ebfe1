import type { Host, Json, JsonObject, Port } from '../../packages/reflex/src/kernel/index.ts'
import { egressPort } from '../../packages/reflex/src/kinds/dataflow/channels/egress-port.ts'
import { EGRESS_PROTOCOL } from '../../packages/reflex/src/kinds/dataflow/channels/frames.ts'
import { INGRESS_PROTOCOL, ingressPort } from '../../packages/reflex/src/kinds/dataflow/channels/ingress-port.ts'
import type { BatchRequest, FileBatch } from '../../packages/reflex/src/kinds/dataflow/run/file-batch.ts'
import type { LineProcess, LineProcessEnd } from '../../packages/reflex/src/tools/index.ts'

const LAST = JSON.stringify({ type: 'end' })

/** A process in memory: it answers each line that it gets with lines, at once. Real processes take real time, and turns are counted here. */
class LinesInMemory {
  readonly isFlooding = false
  readonly ended: Promise<LineProcessEnd>
  readonly #answer: (frame: JsonObject) => readonly JsonObject[]
  readonly #lines: string[]
  readonly #readers: ((line: string | undefined) => void)[] = []
  /** True once it has said that no line follows. */
  #isOver = false
  #end: (end: LineProcessEnd) => void = () => undefined

  constructor(first: JsonObject, answer: (frame: JsonObject) => readonly JsonObject[]) {
    this.#lines = [JSON.stringify(first)]
    this.#answer = answer
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  send(line: string): void {
    for (const frame of this.#answer(JSON.parse(line) as JsonObject)) this.#lines.push(JSON.stringify(frame))
    this.#isOver = this.#lines.at(-1) === LAST
    while (this.#readers.length > 0 && this.#lines.length > 0) this.#readers.shift()?.(this.#lines.shift())
  }

  next(signal?: AbortSignal): Promise<string | undefined> {
    const line = this.#lines.shift()
    if (line !== undefined || this.#isOver || signal?.aborted === true) return Promise.resolve(line)
    return new Promise((resolve) => {
      this.#readers.push(resolve)
      const stop = (): void => {
        this.#readers.splice(this.#readers.indexOf(resolve), 1)
        resolve(undefined)
      }
      signal?.addEventListener('abort', stop, { once: true })
      void this.ended.then(stop)
    })
  }

  end(): Promise<LineProcessEnd> {
    this.kill()
    return this.ended
  }

  kill(): void {
    this.#end({ code: 0, signal: null, stderr: '' })
  }
}

/** Returns a part of a file of these events in memory, whose offsets are lines. Real files take real time. */
function batchInMemory(events: readonly Json[], { name, at, most }: BatchRequest): FileBatch {
  const end = Math.min(events.length, at[2] + most)
  return { source: name, at, events: events.slice(at[2], end), to: [end, end], ...(end < events.length ? {} : { isEnd: true }) }
}

/**
 * Returns the ports of graphs with processes and files in memory: a channel that takes every intent, and a source that sends these events or has
 * them as its lines.
 */
export function graphPorts(host: Host, kinds: readonly string[], events: readonly Json[]): Readonly<Record<'egress' | 'ingress', Port>> {
  const started = (process: LinesInMemory): Promise<LineProcess> => Promise.resolve(process as unknown as LineProcess)
  const world = { host, toolCall: () => ({}), tools: {}, variable: () => undefined }
  const channel = (): LinesInMemory =>
    new LinesInMemory({ type: 'ready', protocol: EGRESS_PROTOCOL, handled_kinds: [...kinds] }, ({ type, intent_id = null }) =>
      type === 'intent' ? [{ type: 'intent_ack', intent_id, status: 'accepted', acceptance: 'durable' }] : [],
    )
  const driver = (): LinesInMemory =>
    new LinesInMemory({ type: 'hello', protocol: INGRESS_PROTOCOL }, ({ events: before = 0 }) => [
      ...events.slice(Number(before)).map((event) => ({ type: 'event', event })),
      { type: 'end' },
    ])
  const ingress = ingressPort({ ...world, startLines: () => started(driver()) } as unknown as Parameters<typeof ingressPort>[0])
  return {
    egress: egressPort({ ...world, startLines: () => started(channel()) } as unknown as Parameters<typeof egressPort>[0]),
    ingress: {
      ...(ingress as Port),
      perform: (call) => {
        const source = call.args as unknown as BatchRequest
        return source.from === 'file' ? batchInMemory(events, source) : (ingress as Port).perform(call)
      },
    },
  }
}
