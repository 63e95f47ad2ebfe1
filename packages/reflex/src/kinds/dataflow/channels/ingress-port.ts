import { type Call, isObject, type Json, type Port, type PortRun } from '../../../kernel/index.ts'
import type { KindWorld } from '../../../programs/kind-module.ts'
import type { RunSettings } from '../../../policy/index.ts'
import { COMMAND_CAPABILITY, fsCapability, type LineProcess } from '../../../tools/index.ts'
import type { EventSource } from '../run/args.ts'
import { faults } from '../run/faults.ts'
import { readPosition } from '../run/position.ts'
import { EVENT_TOPIC } from '../run/topics.ts'
import type { BatchRequest } from '../run/file-batch.ts'
import { eventOfLine } from './event-line.ts'
import { FileBatches } from './file-batches.ts'

/** The first line of a process that sends events. */
export const INGRESS_PROTOCOL = 'reflex-ingress.v1'
/** The events that are sent together, and the most that may wait. */
const BATCH = 256
const MOST_WAITING = 2048
/** The batches that may be on their way at once. */
const MOST_MOVING = 4
/** Milliseconds between two looks at how far the graph is, while too many events wait. */
const LOOK = 20

/** What the port keeps for a run in this process. */
interface Opened {
  readonly run: PortRun<RunSettings>
  readonly files: FileBatches
}

type World = Pick<KindWorld, 'host' | 'startLines' | 'toolCall'>

/**
 * The port `ingress`: the sources of events that a run reads itself. An effect reads the next events of a file, which are its result: the record
 * that has them has taken them, so each line is taken exactly once, also after a crash. The effect of a process lasts until it ends, and its
 * events are messages; a process that is started again gets the number of events taken.
 */
export function ingressPort(world: World): Port<RunSettings> {
  return {
    leaves: false,
    repeat: 'free',
    simulate: 'perform',
    traits: (call) => {
      const source = sourceOf(call)
      const isNamed = source.from === 'file' && call.settings.events === source.file
      const needs =
        source.from === 'process' ? [COMMAND_CAPABILITY] : isNamed || source.from !== 'file' ? [] : [fsCapability('read', source.file)]
      return { leaves: source.from === 'process', repeat: 'free', needs }
    },
    open: (run): Opened => ({ run, files: new FileBatches() }),
    close: ({ session }) => (session as Opened | undefined)?.files.close(),
    // What is read of a file is JSON.
    accept: (raw) => raw as Json,
    async perform(call) {
      const source = sourceOf(call)
      if (source.from === 'file') return (call.session as Opened).files.read(call.args as unknown as BatchRequest)
      const sink = new Sink(source.name, call, world)
      try {
        if (source.from === 'process')
          await readProcess(source, sink, await world.startLines({ argv: source.command }, world.toolCall(call)))
      } catch (thrown) {
        // The events before the failure are handled.
        if (!call.signal.aborted) await sink.flush()
        throw thrown
      }
      await sink.end()
      return { events: sink.sent }
    },
  }
}

function sourceOf({ args }: Pick<Call, 'args'>): EventSource {
  if (isObject(args) && typeof args.name === 'string') return args as unknown as EventSource
  throw faults.make('R1388', 'an ingress effect names its source')
}

/** Sends the events of one source to its graph, in batches, and waits while the graph is too far behind. */
class Sink {
  readonly name: string
  readonly #call: Call<RunSettings>
  readonly #world: World
  #batch: { readonly body: Json; readonly id: string }[] = []
  readonly #moving: Promise<unknown>[] = []
  #line: number
  #offset: number
  sent = 0

  constructor(name: string, call: Call<RunSettings>, world: World) {
    this.name = name
    this.#call = call
    this.#world = world
    const [offset = 0, line = 0] = readPosition(call.frame.position).read[name] ?? []
    this.#offset = Math.max(0, offset)
    this.#line = line
  }

  /** The end of the part that was read before this call, in bytes and lines. */
  get from(): { readonly offset: number; readonly line: number } {
    return { offset: this.#offset, line: this.#line }
  }

  get signal(): AbortSignal {
    return this.#call.signal
  }

  async send(event: Json, offset: number, line: number): Promise<void> {
    this.#line = line
    this.#offset = offset
    this.sent++
    this.#batch.push({ body: { source: [this.name, offset, line], event }, id: `${this.name}:${line}` })
    if (this.#batch.length >= BATCH) await this.#flush()
  }

  /** Sends what is left, and waits until all of it is durable. */
  async flush(): Promise<void> {
    await this.#flush()
    await Promise.all(this.#moving.splice(0))
  }

  /** Says that the source has ended. */
  async end(): Promise<void> {
    await this.flush()
    await this.#message({ source: [this.name, this.#offset, this.#line] }, `${this.name}:end`)
  }

  #message(body: Json, id: string): Promise<boolean> {
    const { run } = this.#call.session as Opened
    return run.message(EVENT_TOPIC, body, { id, frame: this.#call.frame.id })
  }

  /** Sends what was gathered at once, so that one record takes it. Waits while too many events are on their way. */
  async #flush(): Promise<void> {
    const moving = Promise.all(this.#batch.splice(0).map(({ body, id }) => this.#message(body, id)))
    // A rejection is thrown where the batch is awaited.
    moving.catch(() => undefined)
    this.#moving.push(moving)
    // Only a source that is far ahead waits: the record before is made durable while the next ones are read.
    if (this.#moving.length > MOST_MOVING) await this.#moving.shift()
    while (!this.signal.aborted && this.#waiting > MOST_WAITING) await this.#pause()
    if (this.signal.aborted) throw faults.make('R1387', `${this.name} was stopped`)
  }

  /** The number of lines that were sent and that no record has taken. */
  get #waiting(): number {
    const [, taken = 0] = readPosition(this.#call.frame.position).read[this.name] ?? []
    return this.#line - taken
  }

  #pause(): Promise<void> {
    const { host } = this.#world
    return new Promise((resolve) => host.at(host.now() + LOOK, resolve))
  }
}

/** Reads the frames of a process: `hello`, then events, then `end`. */
async function readProcess({ name }: Extract<EventSource, { from: 'process' }>, sink: Sink, process: LineProcess): Promise<void> {
  const fail = (rule: string, why: string): Error => {
    process.kill()
    return faults.make('R1387', `the source ${name} ${why}`, { rule, path: name })
  }
  let { line: number } = sink.from
  let isGreeted = false
  for (let line = await process.next(sink.signal); line !== undefined; line = await process.next(sink.signal)) {
    const frame = eventOfLine(line)
    const type = isObject(frame) ? frame.type : undefined
    if (!isGreeted) {
      if (type !== 'hello' || !isObject(frame) || frame.protocol !== INGRESS_PROTOCOL)
        throw fail('protocol_violation', 'did not begin with hello')
      isGreeted = true
      process.send(JSON.stringify({ type: 'cursor', events: number }))
    } else if (type === 'event' && isObject(frame)) await sink.send(frame.event ?? null, ++number, number)
    else if (type === 'end') {
      if ((await process.next(sink.signal)) !== undefined) throw fail('protocol_violation', 'wrote a line after end')
      const { code } = await process.end(5000)
      if (code !== 0) throw fail('driver_terminated', `ended with the code ${code}`)
      return
    } else throw fail('protocol_violation', `wrote a line that is no frame: ${line.slice(0, 80)}`)
  }
  const { code, signal, stderr } = await process.end(0)
  const words = stderr.trim().split('\n').at(-1) ?? ''
  throw fail('driver_terminated', `ended without end: ${signal ?? `exit ${code}`}${words === '' ? '' : `, ${words.slice(0, 200)}`}`)
}
