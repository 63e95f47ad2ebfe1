import { isObject, type Fault, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { EffectIntent } from '../model/effect.ts'
import { type Tagged, untagged } from '../model/value.ts'
import type { Route } from './args.ts'
import { faults } from './faults.ts'
import type { Running } from './running.ts'

/** The question after a channel has failed. */
export const FAILURE_WAIT = 'egress'

/** Sends an intent by its route. Returns true if it is done at once: a program that was started. */
export function dispatch({ x, args }: Running, intent: EffectIntent): { readonly started: string } | undefined {
  const route = args.routes[intent.kind]
  if (route === undefined) throw faults.make('R1388', `no route takes ${intent.kind}`, { path: intent.kind, fix: `add a route for ${intent.kind} to the host file` })
  const fields = plainFields(intent)
  if (route.to === 'program') {
    const strand = x.spawn(route.program, { args: fields, sees: 'nothing' })
    return { started: String(strand) }
  }
  const [port, request] = requestFor(route, args.routes, intent, fields)
  x.request(port, request, intent.intent_id)
  return undefined
}

function requestFor(
  route: Exclude<Route, { to: 'program' }>,
  routes: Readonly<Record<string, Route>>,
  { kind, intent_id }: EffectIntent,
  fields: JsonObject,
): readonly [port: string, request: Json] {
  const onResume = 'keyed' in route && route.keyed ? 'repeat' : 'ask'
  switch (route.to) {
    case 'process':
      return [
        'egress',
        {
          do: 'send',
          channel: route.channel,
          command: route.command,
          kinds: kindsOf(route.channel, routes),
          intent: { kind, intent_id, fields },
          timeout: route.timeout,
          ...(route.keyed ? { keyed: true } : {}),
        },
      ]
    case 'http': {
      const headers = { ...route.headers, 'Content-Type': 'application/json', 'Idempotency-Key': intent_id }
      const body = JSON.stringify({ intent_id, kind, fields })
      return ['tool', { tool: 'http', args: { method: 'POST', url: route.url, headers, body, timeout: route.timeout }, on_resume: onResume }]
    }
    case 'tool':
      return ['tool', { tool: route.tool, args: fields, on_resume: onResume }]
    case 'ledger':
      return ['ledger', ['append', route.ledger, { intent_id, kind, fields }]]
  }
}

/** Returns the kinds of effects that are routed to a channel, in the order of their text. */
export function kindsOf(channel: string, routes: Readonly<Record<string, Route>>): string[] {
  return Object.keys(routes)
    .filter((kind) => routes[kind]?.channel === channel)
    .sort()
}

/** Returns the reason why the result of an effect is no acknowledgement; undefined if it is one. */
export function refusalOf(route: Route | undefined, { kind }: EffectIntent, result: Json): Fault | undefined {
  if (route?.to !== 'http' || !isObject(result) || typeof result.status !== 'number') return undefined
  const { status } = result
  if (status >= 200 && status < 300) return undefined
  const about = { path: route.channel, data: { status } }
  if (status >= 400 && status < 500) return faults.make('R1386', `${route.channel} refused ${kind} with the status ${status}`, about)
  return faults.make('R1385', `${route.channel} answered ${kind} with the status ${status}, so its outcome is unknown`, about)
}

/** Returns the fields of an intent without their types. */
function plainFields({ fields }: EffectIntent): JsonObject {
  return Object.fromEntries(fields.map(({ name, value }): [string, Json] => [name, untagged(value as Tagged) as Json]))
}
