import { z } from 'zod'
import type { JsonObject } from '../../../kernel/index.ts'
import { once } from '../../../text/index.ts'
import { EVENT_KINDS } from '../model/event.ts'
import { ERROR_KINDS } from '../model/termination.ts'
import { INTERRUPTIONS } from './bundle.ts'

const text = z.string()
const count = z.int().min(0)

/** The shape of the header: the first line of a capture in lines. */
export const headerShape = once(() => z.strictObject(headerFields()))

/** The shape of a further line: an event and its decision. */
export const stepShape = once(() => z.strictObject({ event: capturedEvent(), decision: capturedDecision() }))

/** The shape of the last line. */
export const endShape = once(() => z.strictObject({ chain: sha256() }))

/** The shape of a capture as one document, and the only source of its published schema. */
export const bundleShape = once(() =>
  z.strictObject({
    ...headerFields(),
    events: z.array(capturedEvent()).describe('The events in the order of their arrival'),
    decisions: z.array(capturedDecision()).describe('One decision for each event, at the same index'),
    chain: sha256().describe('The hash over header, order, acknowledgements and interruption'),
  }),
)

/** The JSON Schema (draft-07) of a capture, for other languages. */
export const bundleSchema: () => JsonObject = once(() => {
  const { $schema, ...rest } = z.toJSONSchema(bundleShape(), { target: 'draft-07', io: 'input' }) as JsonObject
  return { ...($schema === undefined ? {} : { $schema }), $id: 'urn:reflex:dataflow-capture', title: 'Reflex dataflow capture', ...rest }
})

function headerFields(): {
  readonly [Field in
    | 'capture_version'
    | 'graph_id'
    | 'config'
    | 'adapter_provenance'
    | 'runtime_provenance'
    | 'egress_provenance'
    | 'initial_context']: z.ZodType
} {
  const limits = { max_in_flight: count, max_per_window: count, rate_window: count, deadline: count, max_retries: count }
  return {
    capture_version: text,
    graph_id: text,
    config: z.strictObject(limits).partial().describe('The limits of the supervisor; durations are milliseconds'),
    adapter_provenance: text.describe('none, or adapter:ID@VERSION;sha256:HASH'),
    runtime_provenance: text.describe('The identity of the expanded graph'),
    egress_provenance: text.optional().describe('The identity of channels and routes'),
    initial_context: z.record(z.string(), z.json()).optional().describe('The values with which the context began'),
  }
}

function sha256(): z.ZodString {
  return z.string().regex(/^[0-9a-f]{64}$/, 'expects a SHA-256 of 64 hexadecimal digits')
}

function instant(): z.ZodObject {
  return z.strictObject({ secs: z.int(), nanos: z.int().min(0).max(999_999_999) })
}

function capturedEvent(): z.ZodObject {
  return z.strictObject({
    event_id: text,
    event_time: instant(),
    kind: z.enum(EVENT_KINDS),
    semantic_kind: text.optional(),
    payload: text.describe('The merged payload as canonical JSON'),
    payload_hash: sha256(),
    incoming: text.optional().describe('The payload as it arrived, if the merge changed it'),
    incoming_hash: sha256().optional(),
  })
}

function capturedDecision(): z.ZodObject {
  const ack = z.strictObject({
    intent_id: text,
    channel: text,
    status: z.literal('accepted'),
    acceptance: z.literal('durable'),
    egress_ref: text.optional(),
  })
  return z.strictObject({
    event_id: text,
    decision: z.enum(['Invoke', 'Defer', 'Skip']),
    schedule_at: instant().nullable(),
    episode_id: count,
    deadline: count.nullable(),
    termination: z.union([z.enum(['Completed', 'TimedOut', 'Aborted']), z.strictObject({ Failed: z.enum(ERROR_KINDS) })]).nullable(),
    retry_count: count,
    effects: z.array(z.strictObject({ effect: effect(), effect_hash: sha256() })),
    outputs_hash: sha256().nullable(),
    intent_acks: z.array(ack).optional(),
    interruption: z.enum(INTERRUPTIONS).optional(),
    fork: z
      .string()
      .regex(/^[0-9a-f]{16}$/, 'expects the mark of a fork: 16 hexadecimal digits')
      .optional()
      .describe('The mark of the fork that decided; the ids of its intents are those of the graph GRAPH~FORK'),
  })
}

function effect(): z.ZodObject {
  const value = z.union([
    z.strictObject({ Number: z.number() }),
    z.strictObject({ Series: z.array(z.number()) }),
    z.strictObject({ Bool: z.boolean() }),
    z.strictObject({ String: text }),
  ])
  return z.strictObject({
    kind: text,
    writes: z.array(z.strictObject({ key: text, value })),
    intents: z.array(z.strictObject({ kind: text, intent_id: text, fields: z.array(z.strictObject({ name: text, value })) })),
  })
}
