import { type Fault, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import { faults as adapterFaults } from '../adapter/faults.ts'
import { graphNeeds } from '../adapter/graph-needs.ts'
import type { Channel, HostFile, Route } from '../adapter/host-file.ts'
import type { EffectIntent } from '../model/effect.ts'
import { untagged } from '../model/value.ts'
import type { CompiledGraph } from './compiled.ts'
import { faults } from './faults.ts'
import type { Running } from './running.ts'

/** The question after a channel has failed. */
export const FAILURE_WAIT = 'egress'

/** The status of an intent that the run of a capture had left out: the graph continues without an acknowledgement. */
export const LEFT_OUT = 'left out'

/** The channel of a kind of intent, with its route. */
export interface RoutedChannel {
  readonly route: Route
  readonly channel: Channel
}

/** Returns the channel of a kind of intent; undefined if none takes it. */
export function channelOf({ routes, channels }: HostFile, kind: string): RoutedChannel | undefined {
  const route = Object.hasOwn(routes, kind) ? routes[kind] : undefined
  const channel = route === undefined ? undefined : channels[route.channel]
  return route === undefined || channel === undefined ? undefined : { route, channel }
}

/** Returns the faults of the intents of a called graph that no route of the operator takes: `R1357` for each kind. */
export function uncoveredIntents({ id, graph }: CompiledGraph, { routes }: HostFile): Fault[] {
  const kinds = [...new Set(graphNeeds(graph).intents.map(({ intent }) => intent.name))].filter((kind) => !Object.hasOwn(routes, kind))
  return kinds.map((kind) =>
    adapterFaults.make('R1357', `nothing realizes the effect ${quote(kind)} of ${id}, which another program calls`, {
      rule: 'HST-5',
      path: kind,
      fix: `put a host file beside ${id}: NAME.host.json with a route for ${quote(kind)}`,
    }),
  )
}

/** Sends an intent by its route. Returns the strand of a program that was started: such an intent is done at once. */
export function dispatch({ x, args: { host } }: Running, intent: EffectIntent): string | undefined {
  const { kind, intent_id } = intent
  const found = channelOf(host, kind)
  if (found === undefined)
    throw faults.make('R1388', `no route takes ${kind}`, { path: kind, fix: `add a route for ${kind} to the host file` })
  const { route, channel } = found
  const fields = plainFields(intent)
  if (channel.type === 'program') return String(x.spawn(channel.start, { args: mapped(fields, channel.map), sees: 'nothing' }))
  if (channel.type === 'ledger') x.request('ledger', ['append', channel.ledger, { intent_id, kind, fields }], intent_id)
  else
    x.request(
      'egress',
      {
        do: 'send',
        channel: route.channel,
        by: channel as unknown as JsonObject,
        kinds: kindsOf(route.channel, host),
        intent: { kind, intent_id, fields },
        timeout: route.ack_timeout,
        ...(route.keyed ? { keyed: true } : {}),
      },
      intent_id,
    )
  return undefined
}

/** Returns the fields of an intent as the inputs of a program: `map` names the field of each input. */
function mapped(fields: JsonObject, map: Readonly<Record<string, string>> | undefined): JsonObject {
  if (map === undefined) return fields
  return Object.fromEntries(Object.entries(map).flatMap(([input, field]) => (fields[field] === undefined ? [] : [[input, fields[field]]])))
}

/** Returns the kinds of effects that are routed to a channel, in the order of their text. */
export function kindsOf(channel: string, { routes }: HostFile): string[] {
  return Object.keys(routes)
    .filter((kind) => routes[kind]?.channel === channel)
    .sort()
}

/** Returns the reason why the result of an effect is no acknowledgement; undefined if it is one. */
export function refusalOf(result: Json): Fault | undefined {
  if (!isObject(result) || result.status !== 'refused') return undefined
  return faults.make('R1386', typeof result.why === 'string' ? result.why : 'the channel refused the intent')
}

/** Returns the fields of an intent without their types. */
function plainFields({ fields }: EffectIntent): JsonObject {
  return Object.fromEntries(fields.map(({ name, value }): [string, Json] => [name, untagged(value) as Json]))
}
