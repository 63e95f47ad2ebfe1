import { type Call, causeOf, isFault, isObject, type Json, type Port, type PortRun } from '../../../kernel/index.ts'
import type { KindWorld } from '../../../programs/kind-module.ts'
import type { RunSettings } from '../../../policy/index.ts'
import { COMMAND_CAPABILITY, fsCapability, type LineProcess } from '../../../tools/index.ts'
import type { EventSource } from '../run/args.ts'
import { faults } from '../run/faults.ts'
import { TOO_LARGE } from '../run/read-event.ts'
import { EventSink } from './event-sink.ts'
import { endText, missingScript } from './last-words.ts'
import { fileLines } from './read-lines.ts'

/** The first line of a process that sends events. */
export const INGRESS_PROTOCOL = 'reflex-ingress.v1'

type World = Pick<KindWorld, 'host' | 'startLines' | 'toolCall'>

/**
 * The port `ingress`: the sources of events that a run reads itself. The effect lasts until its source ends. After a crash, reading of a file
 * continues behind the last line that a record has taken, so each line is taken exactly once; a process gets the number of events taken.
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
    open: (run): PortRun<RunSettings> => run,
    async perform(call) {
      const source = sourceOf(call)
      // The import has taken its events. A fork takes further ones from people.
      if (source.from === 'capture') return { events: 0 }
      const sink = new EventSink(source.name, call, world.host)
      try {
        if (source.from === 'file') await readFile(source, sink)
        else if (source.from === 'process')
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

async function readFile({ file, name }: Extract<EventSource, { from: 'file' }>, sink: EventSink): Promise<void> {
  const { offset, line: before } = sink.from
  try {
    for await (const { text, line, end, isCut } of fileLines(file, { offset, line: before, signal: sink.signal })) {
      if (isCut) await sink.refuse(TOO_LARGE, end, line)
      else if (text.trim() !== '') await sink.send(jsonOf(text), end, line)
    }
  } catch (thrown) {
    if (isFault(thrown)) throw thrown
    throw faults.make('R1387', `${file} cannot be read`, { rule: 'driver_io', path: name, cause: causeOf(thrown) })
  }
}

/** Returns a line as JSON; as text if it is none, so that the graph refuses it at its place. */
function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text.slice(0, 200)
  }
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
