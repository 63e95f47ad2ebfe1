import { type Call, isObject, type Json, type JsonObject, type Port, type Traits } from '../../../kernel/index.ts'
import type { KindWorld } from '../../../programs/kind-module.ts'
import type { RunSettings } from '../../../policy/index.ts'
import { COMMAND_CAPABILITY } from '../../../tools/index.ts'
import type { Channel } from '../adapter/host-file.ts'
import { faults } from '../run/faults.ts'
import type { SentIntent } from './frames.ts'
import { headersOf, sendByHttp } from './http-channel.ts'
import { ProcessChannel } from './process-channel.ts'

/** The parts of a `Reflex` that channels need. */
export type ChannelWorld = Pick<KindWorld, 'host' | 'startLines' | 'toolCall' | 'tools' | 'variable'>

/** The channels to which the port sends. */
export type SentChannel = Extract<Channel, { type: 'process' | 'http' | 'captured' }>

/** An effect of the port: a process is started, or an intent is sent. */
export type EgressRequest = {
  readonly channel: string
  readonly by: SentChannel
  /** The kinds of effects that the channel must handle. */
  readonly kinds: readonly string[]
} & ({ readonly do: 'open' } | SendRequest)

interface SendRequest {
  readonly do: 'send'
  readonly intent: SentIntent
  /** Milliseconds. */
  readonly timeout: number
  /** True if the channel takes an intent id once, also after a crash. */
  readonly keyed?: boolean
}

type Channels = Map<string, Promise<ProcessChannel>>

/**
 * The port `egress`: the processes and servers that take the intents of a run. A process is started when it is first needed in this process
 * of Reflex, ends with the run, and has one intent at a time. A keyed channel that fails gets the same intent once more, restarted. A
 * simulated run sends nothing.
 */
export function egressPort(world: ChannelWorld): Port<RunSettings> {
  return {
    leaves: true,
    repeat: 'ask',
    traits(call): Traits {
      const request = requestOf(call)
      const { by } = request
      const isSafe = request.do === 'open' || request.keyed === true
      if (by.type === 'captured') return { leaves: false, repeat: 'free' }
      const needs = by.type === 'process' ? [COMMAND_CAPABILITY] : (httpTraits(request, call, world).needs ?? [])
      return { leaves: true, repeat: isSafe ? 'keyed' : 'ask', needs }
    },
    simulate: (call) =>
      requestOf(call).do === 'open' ? { status: 'ready' } : { status: 'accepted', acceptance: 'durable', simulated: true },
    open: (): Channels => new Map(),
    async close({ session }) {
      const channels = [...((session as Channels | undefined)?.values() ?? [])]
      await Promise.all(channels.map(async (channel) => (await channel.catch(() => undefined))?.close()))
    },
    async perform(call) {
      const request = requestOf(call)
      const { by } = request
      if (request.do === 'open') {
        if (by.type === 'process') await processOf({ ...request, by }, call, world)
        return { status: 'ready' }
      }
      if (by.type === 'captured') throw unreachable(request.channel)
      if (by.type === 'process') return sendToProcess({ ...request, by }, call, world)
      return sendByHttp({ ...request, by }, call, world)
    },
  }
}

function httpTraits({ by }: EgressRequest, call: Call<RunSettings>, { tools, toolCall, variable }: ChannelWorld): Traits {
  if (by.type !== 'http') return { leaves: true, repeat: 'ask' }
  return tools.prepare('http', { method: 'POST', url: by.url, headers: headersOf(by, variable, '') }).traits(toolCall(call))
}

type ProcessRequest = Omit<EgressRequest, 'by' | 'do'> & { readonly by: Extract<Channel, { type: 'process' }> }

async function sendToProcess(request: ProcessRequest & SendRequest, call: Call<RunSettings>, world: ChannelWorld): Promise<object> {
  const channels = call.session as Channels
  const attempt = async (): Promise<object> => {
    try {
      return await (await processOf(request, call, world)).send(request.intent, request.timeout, call.signal)
    } catch (thrown) {
      channels.delete(keyOf(request))
      throw thrown
    }
  }
  try {
    return await attempt()
  } catch (thrown) {
    if (request.keyed !== true || call.signal.aborted) throw thrown
    return attempt()
  }
}

/** Returns the name of a process: two graphs of one run may have channels of one name. */
function keyOf({ channel, by, kinds }: ProcessRequest): string {
  return JSON.stringify([channel, by, kinds])
}

/** Returns the process of a channel. Starts it if this process of Reflex has not. */
function processOf({ channel, by, kinds }: ProcessRequest, call: Call<RunSettings>, world: ChannelWorld): Promise<ProcessChannel> {
  const channels = call.session as Channels
  const key = keyOf({ channel, by, kinds })
  const known = channels.get(key)
  if (known !== undefined) return known
  const starting = world.startLines({ argv: by.command }, world.toolCall(call))
  const opening = starting.then((process) =>
    ProcessChannel.open(channel, process, kinds, { host: world.host, command: by.command, folder: call.settings.workdir }),
  )
  channels.set(key, opening)
  opening.catch(() => {
    if (channels.get(key) === opening) channels.delete(key)
  })
  return opening
}

function requestOf({ args }: { readonly args: Json | undefined }): EgressRequest {
  const request: JsonObject = isObject(args) ? args : {}
  const { do: what, channel, by } = request
  const isSent = isObject(by) && (by.type === 'process' || by.type === 'http' || by.type === 'captured')
  if ((what === 'open' || what === 'send') && typeof channel === 'string' && isSent) return request as unknown as EgressRequest
  throw faults.make('R1388', 'an egress effect names its channel')
}

/** Returns the fault of a fork of an imported run that asks for something outside. */
function unreachable(channel: string): Error {
  return faults.make('R1388', `the run was imported from a capture, which does not say how the channel ${channel} is reached`, {
    path: channel,
    fix: 'run the graph with its host file: reflex run GRAPH --events FILE --host FILE',
  })
}
