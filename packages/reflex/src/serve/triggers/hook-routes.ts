import { z } from 'zod'
import { isFault, type Json } from '../../kernel/index.ts'
import { plainJson } from '../../protocol/plain.ts'
import { serveFaults } from '../../protocol/faults.ts'
import { list, text, v } from '../../protocol/shapes.ts'
import { parseJson } from '../request.ts'
import { route } from '../define-route.ts'
import type { ServeRoute } from '../world.ts'
import { type DeliveryResult, takeDelivery } from './incoming.ts'
import { verifyDelivery } from './signature.ts'

/** The most bytes of a delivery: its sender is unknown until all of it is read. */
const MOST_BYTES = 1_000_000
const HOOK = z.strictObject({ hook: z.string().min(1).max(64) })

/** Webhooks: deliveries that arrive, and what is known of all hooks and subscriptions. */
export const hookRoutes: readonly ServeRoute[] = [
  route({
    name: 'hooks.deliver',
    method: 'POST',
    url: '/v1/hooks/{hook}',
    does: 'Takes a signed delivery: starts the program of the hook, or sends its message. A repeated delivery returns what the first one did.',
    path: HOOK,
    body: z.string(),
    maxBody: MOST_BYTES,
    takes: ['application/json'],
    answers: {
      202: z.object({ v, did: z.enum(['started', 'sent', 'ignored']), run: text.optional() }),
      200: 'The same, for a repeated delivery',
    },
    async handle({ path, body, header }, world) {
      const { hooks, rates } = world.triggers
      const hook = Object.hasOwn(hooks, path.hook) ? hooks[path.hook] : undefined
      // The sender is unknown, so the names of other hooks are not suggested.
      if (hook === undefined) throw serveFaults.make('R6053', 'there is no such hook')
      const count = (result: string): void => world.metrics.hooks.add(1, { hook: path.hook, result })
      try {
        const id = verifyDelivery(hook.scheme, hook.secret, { body, header, now: world.reflex.host.now() })
        rates.get(path.hook)?.count(`the hook ${path.hook}`)
        const result = await takeDelivery(world, hook, { hook: path.hook, id, payload: parsed(body) })
        count(result.did)
        return { status: statusOf(result), json: plainJson({ v: 1, ...resultOf(result) }) }
      } catch (thrown) {
        count(isFault(thrown) ? thrown.code : 'failed')
        throw thrown
      }
    },
  }),
  route({
    name: 'hooks.list',
    method: 'GET',
    url: '/v1/hooks',
    does: 'Lists the hooks, and the subscriptions with their last deliveries and failures.',
    scope: 'read',
    answers: {
      200: z.object({ v, hooks: list(z.object({ name: text, scheme: text })), subscriptions: list(z.object({ name: text, url: text })) }),
    },
    async handle(_, { triggers }) {
      const hooks = Object.entries(triggers.hooks).map(([name, { scheme, start, send }]) => ({
        name,
        scheme,
        ...(start === undefined ? {} : { starts: start.program }),
        ...(send === undefined ? {} : { sends: send.topic }),
      }))
      return { json: plainJson({ v: 1, hooks, subscriptions: await triggers.subscriptions() }) }
    },
  }),
]

function statusOf(result: DeliveryResult): number {
  return 'repeated' in result && result.repeated ? 200 : 202
}

/** A repeated delivery gets the answer of the first one. */
function resultOf(result: DeliveryResult): object {
  return 'run' in result ? { did: result.did, run: result.run } : result
}

function parsed(body: string): Json {
  return parseJson(body) as Json
}
