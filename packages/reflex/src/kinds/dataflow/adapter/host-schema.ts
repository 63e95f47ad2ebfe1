import { z } from 'zod'
import type { JsonObject } from '../../../kernel/index.ts'
import { once } from '../../../text/index.ts'

const COMMAND = 'The program and its arguments, started without a shell'

/** The shape of a `NAME.host.json`, which is the operator's, and the only source of its published schema. */
export const hostFileShape = once(() =>
  z.strictObject({
    $schema: z.string().optional().describe('The schema of this file, for editors'),
    kind: z.literal('host'),
    about: z.string().optional(),
    default_ack_timeout: duration().optional().describe('The time in which a channel must acknowledge an intent. Default: 30s'),
    dedupe: z
      .enum(['segment', 'run'])
      .optional()
      .describe('The range in which event ids are unique: the last 65,536 and the segment (default), or the whole run'),
    constraints: constraints().optional().describe('The limits of the supervisor'),
    channels: z.record(z.string().min(1), channel()).optional().describe('The ways out, by name'),
    routes: z.record(z.string().min(1), route()).optional().describe('The channel of each kind of intent'),
    ingress: ingress().optional().describe('The source of events'),
  }),
)

/** The JSON Schema (draft-07) of a host file, for editors and other languages. */
export const hostSchema: () => JsonObject = once(() => {
  const { $schema, ...rest } = z.toJSONSchema(hostFileShape(), { target: 'draft-07', io: 'input' }) as JsonObject
  return { ...($schema === undefined ? {} : { $schema }), $id: 'urn:reflex:dataflow-host', title: 'Reflex dataflow host', ...rest }
})

function duration(): z.ZodString {
  return z.string().regex(/^\d{1,12}(ms|s|m|h)$/, 'expects a duration such as "250ms", "5s", "10m" or "1h"')
}

function constraints(): z.ZodObject {
  const count = z.int().min(0)
  return z.strictObject({
    max_in_flight: count.optional().describe('The most episodes at the same time'),
    max_per_window: count.optional().describe('The most passes in one rate_window'),
    rate_window: duration().optional().describe('The window of max_per_window'),
    deadline: duration().optional().describe('Recorded with each decision; 0s aborts every pass'),
    max_retries: count.optional().describe('The most further attempts after a mechanical failure. Default: 0'),
  })
}

function channel(): z.ZodType {
  const text = z.string().min(1)
  const header = z.union([z.string(), z.strictObject({ env: text.describe('The variable of the environment that holds the value') })])
  return z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('process'), command: z.array(text).min(1).describe(COMMAND) }),
    z.strictObject({
      type: z.literal('http'),
      url: text.describe('The address to which each intent is posted'),
      headers: z.record(text, header).optional(),
    }),
    z.strictObject({
      type: z.literal('program'),
      start: text.describe('The program that each intent starts, as kind:id or kind:id@version'),
      map: z.record(text, text).optional().describe('The field of the intent for each input of the program. Default: the fields by name'),
      ends_as: text.optional().describe('The event kind of the event that reports its end'),
    }),
    z.strictObject({ type: z.literal('ledger'), ledger: text.describe('The ledger to which each intent is appended') }),
  ])
}

function route(): z.ZodObject {
  return z.strictObject({
    channel: z.string().min(1).describe('The name of a channel'),
    ack_timeout: duration().optional().describe('Default: default_ack_timeout'),
    keyed: z.boolean().optional().describe('True if the channel accepts an intent id once, also after a crash'),
    on_failure: z.enum(['fail', 'ask']).optional().describe('fail: the run fails (default); ask: a person is asked'),
  })
}

function ingress(): z.ZodType {
  const text = z.string().min(1)
  return z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('process'), command: z.array(text).min(1).describe(COMMAND) }),
    z.strictObject({ type: z.literal('route') }).describe('Events are posted to the server'),
    z.strictObject({
      type: z.literal('timer'),
      every: duration().describe('The time between two events'),
      semantic_kind: text.describe('The event kind of its events'),
      field: text.optional().describe('The field that gets the time, in seconds since 1970'),
    }),
  ])
}
