import { type Call, isObject, type Json, type Port, type PortRun } from '../../../kernel/index.ts'
import type { KindWorld } from '../../../programs/kind-module.ts'
import type { RunSettings } from '../../../policy/index.ts'
import { COMMAND_CAPABILITY, fsCapability, type LineProcess } from '../../../tools/index.ts'
import type { EventSource } from '../run/args.ts'
import { faults } from '../run/faults.ts'
import type { BatchRequest } from '../run/file-batch.ts'
import { jsonOf } from './event-line.ts'
import { EventSink } from './event-sink.ts'
import { FileBatches } from './file-batches.ts'
import { endText, missingScript } from './last-words.ts'

/** The first line of a process that sends events. */
export const INGRESS_PROTOCOL = 'reflex-ingress.v1'

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
      // The import has taken its events. A fork takes further ones from people.
      if (source.from === 'capture') return { events: 0 }
      const { files, run } = call.session as Opened
      if (source.from === 'file') return files.read(call.args as unknown as BatchRequest, call.signal)
      const sink = new EventSink(source.name, call, { run, host: world.host })
      try {
        if (source.from === 'process')
          await readProcess(source, sink, await world.startLines({ argv: source.command }, world.toolCall(call)), call.settings.workdir)
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

/** Reads the frames of a process: `hello`, then events, then `end`. */
async function readProcess(
  { name, command }: Extract<EventSource, { from: 'process' }>,
  sink: EventSink,
  process: LineProcess,
  folder: string,
): Promise<void> {
  const fail = (rule: string, why: string, fix?: string): Error => {
    process.kill()
    return faults.make('R1387', `the source ${name} ${why}`, { rule, path: name, ...(fix === undefined ? {} : { fix }) })
  }
  let { line: number } = sink.from
  let isGreeted = false
  for (let line = await process.next(sink.signal); line !== undefined; line = await process.next(sink.signal)) {
    const frame = jsonOf(line)
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
  const script = isGreeted ? undefined : missingScript(command, folder)
  throw fail(
    'driver_terminated',
    script === undefined ? `ended without end: ${endText(await process.end(0))}` : `cannot start: ${script.why}`,
    script?.fix,
  )
}
