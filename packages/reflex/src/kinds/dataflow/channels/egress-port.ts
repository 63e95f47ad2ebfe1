import { type Call, type Host, isList, isObject, type Json, type JsonObject, type Port, type Traits } from '../../../kernel/index.ts'
import type { KindWorld } from '../../../programs/kind-module.ts'
import type { RunSettings } from '../../../policy/index.ts'
import { COMMAND_CAPABILITY } from '../../../tools/index.ts'
import { faults } from '../run/faults.ts'
import type { SentIntent } from './frames.ts'
import { ProcessChannel } from './process-channel.ts'

/** A process to which intents are sent. */
export interface ProcessRequest {
  readonly channel: string
  readonly command: readonly string[]
  /** The kinds of effects that it must handle. */
  readonly kinds: readonly string[]
}

/** An effect of the port: a channel is opened, or an intent is sent. */
export type EgressRequest = ProcessRequest &
  ({ readonly do: 'open' } | { readonly do: 'send'; readonly intent: SentIntent; readonly timeout: number; readonly keyed?: boolean })

type Channels = Map<string, Promise<ProcessChannel>>

/**
 * The port `egress`: the processes that take the intents of a run. Each is started when it is first needed in a process of Reflex, ends
 * with the run, and has one intent at a time. A keyed channel that fails is restarted once, and gets the same intent again.
 */
export function egressPort(world: Pick<KindWorld, 'host' | 'startLines' | 'toolCall'>): Port<RunSettings> {
  return {
    leaves: true,
    repeat: 'ask',
    traits: (call): Traits => {
      const request = requestOf(call)
      const isSafe = request.do === 'open' || request.keyed === true
      return { leaves: true, repeat: isSafe ? 'keyed' : 'ask', needs: [COMMAND_CAPABILITY] }
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
      if (request.do === 'open') {
        await channelOf(request, call, world)
        return { status: 'ready' }
      }
      return send(request, call, world)
    },
  }
}

async function send(
  request: Extract<EgressRequest, { do: 'send' }>,
  call: Call<RunSettings>,
  world: Pick<KindWorld, 'host' | 'startLines' | 'toolCall'>,
): Promise<object> {
  const attempt = async (): Promise<object> => (await channelOf(request, call, world)).send(request.intent, request.timeout, call.signal)
  const channels = call.session as Channels
  try {
    return await attempt()
  } catch (thrown) {
    channels.delete(request.channel)
    if (request.keyed !== true || call.signal.aborted) throw thrown
  }
  try {
    return await attempt()
  } catch (thrown) {
    channels.delete(request.channel)
    throw thrown
  }
}

/** Returns the open channel of a request; starts its process if this process of Reflex has not yet. */
function channelOf(
  { channel, command, kinds }: ProcessRequest,
  call: Call<RunSettings>,
  { host, startLines, toolCall }: { readonly host: Host } & Pick<KindWorld, 'startLines' | 'toolCall'>,
): Promise<ProcessChannel> {
  const channels = call.session as Channels
  const known = channels.get(channel)
  if (known !== undefined) return known
  const opening = startLines({ argv: command }, toolCall(call)).then((process) => ProcessChannel.open(channel, process, kinds, host))
  channels.set(channel, opening)
  opening.catch(() => {
    if (channels.get(channel) === opening) channels.delete(channel)
  })
  return opening
}

function requestOf({ args }: { readonly args: Json | undefined }): EgressRequest {
  const request: JsonObject = isObject(args) ? args : {}
  if ((request.do === 'open' || request.do === 'send') && typeof request.channel === 'string' && isList(request.command))
    return request as unknown as EgressRequest
  throw faults.make('R1388', 'an egress effect names its channel and its command')
}
