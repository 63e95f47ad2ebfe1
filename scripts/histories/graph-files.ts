import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../packages/reflex/src/kernel/index.ts'
import type { Stage } from './stage.ts'

/** The kinds of intents of the graph, each for one sort of channel. */
export type Sort = 'page' | 'post' | 'start' | 'log'
const SORTS: readonly Sort[] = ['page', 'post', 'start', 'log']

/** A channel that acknowledges each intent, and dies at the first of a kind that its arguments name. */
const CHANNEL = `import { createInterface } from 'node:readline'
const say = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n')
say({ type: 'ready', protocol: 'reflex-egress.v1', handled_kinds: ['page'] })
for await (const line of createInterface({ input: process.stdin })) {
  const { type, intent_id } = JSON.parse(line)
  if (type === 'end') break
  if (process.argv.includes('dies')) process.exit(3)
  say({ type: 'intent_ack', intent_id, status: 'accepted', acceptance: 'durable', egress_ref: 'page-1' })
}
`

function action(sort: Sort): JsonObject {
  return {
    kind: 'action',
    id: sort,
    version: '1.0.0',
    inputs: [
      { name: 'event', type: 'Event' },
      { name: 'amount', type: 'Number' },
    ],
    outputs: [{ name: 'outcome', type: 'Event' }],
    parameters: [],
    execution: { deterministic: true, retryable: false },
    state: { allowed: false },
    side_effects: true,
    effects: { writes: [], intents: [{ name: sort, fields: [{ name: 'amount', type: 'Number', from_input: 'amount' }] }] },
  }
}

/** Sums amounts into a key; for each that is large, asks for one effect of each sort that it has. The inverse fails for 0. */
function graphOf(sorts: readonly Sort[]): JsonObject {
  return {
    kind: 'cluster',
    id: 'sums',
    version: '1.0.0',
    nodes: {
      amount: { impl: 'context_number_source@^0.1', params: { key: 'amount' } },
      sum: { impl: 'context_number_source@^0.1', params: { key: 'sum' } },
      one: { impl: 'number_source@^0.1', params: { value: 1 } },
      limit: { impl: 'number_source@^0.1', params: { value: 5 } },
      next: { impl: 'add@^0.1' },
      inverse: { impl: 'divide@^0.2' },
      is_large: { impl: 'gt@^0.1' },
      always: { impl: 'const_bool@^0.1', params: { value: true } },
      each: { impl: 'emit_if_true@^0.1' },
      save: { impl: 'context_set_number@^0.1', params: { key: 'sum' } },
      large: { impl: 'emit_if_true@^0.1' },
      ...Object.fromEntries(sorts.map((sort) => [`do_${sort}`, { impl: `${sort}@^1` }])),
    },
    edges: [
      'amount.value -> next.a',
      'sum.value -> next.b',
      'one.value -> inverse.a',
      'amount.value -> inverse.b',
      'amount.value -> is_large.a',
      'limit.value -> is_large.b',
      'always.value -> each.input',
      'each.event -> save.event',
      'next.result -> save.value',
      'is_large.result -> large.input',
      ...sorts.flatMap((sort) => [`large.event -> do_${sort}.event`, `amount.value -> do_${sort}.amount`]),
    ],
    outputs: { sum: 'next.result', inverse: 'inverse.result' },
  }
}

interface GraphFiles {
  readonly sorts?: readonly Sort[]
  /** The kinds of events that it takes. */
  readonly kinds?: readonly string[]
  /** Channels in place of the standard ones. */
  readonly channels?: JsonObject
  readonly host?: JsonObject
}

/** Writes the graph with its files into the folder of the stage, with channels of these sorts. Returns its file. */
export function graph(
  { folder }: Stage,
  { sorts = [], kinds = ['order', 'tick', 'approved'], channels = {}, host = {} }: GraphFiles = {},
): string {
  const write = (name: string, content: JsonObject | string): void =>
    writeFileSync(join(folder, name), typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`)
  const used = SORTS.filter((sort) => sorts.includes(sort))
  write('channel.mjs', CHANNEL)
  for (const sort of used) write(`${sort}.primitive.json`, action(sort))
  write('sums.adapter.json', adapterOf(used, kinds))
  write('sums.host.json', {
    kind: 'host',
    channels: Object.fromEntries(used.map((sort) => [sort, channels[sort] ?? STANDARD[sort]])),
    routes: Object.fromEntries(used.map((sort) => [sort, { channel: sort, on_failure: 'ask' }])),
    ...host,
  })
  write('sums.dataflow.json', graphOf(used))
  return 'sums.dataflow.json'
}

const STANDARD: Readonly<Record<Sort, JsonObject>> = {
  page: { type: 'process', command: ['node', 'channel.mjs'] },
  post: { type: 'http', url: 'http://127.0.0.1:47831/orders' },
  start: { type: 'program', start: 'workflow:approval', ends_as: 'approved' },
  log: { type: 'ledger', ledger: 'orders' },
}

function adapterOf(sorts: readonly Sort[], kinds: readonly string[]): JsonObject {
  const schema = (properties: JsonObject, required: string[]): JsonObject => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  })
  const number = { type: 'number' }
  return {
    kind: 'adapter',
    id: 'sums',
    version: '1.0.0',
    runtime_compatibility: '0.1.0',
    context_keys: [
      { name: 'sum', type: 'Number', required: false, writable: true },
      { name: 'amount', type: 'Number', required: false, writable: false },
      { name: 'said', type: 'String', required: false, writable: false },
    ],
    event_kinds: [
      { name: 'order', payload_schema: schema({ amount: number, sum: number }, ['amount']) },
      { name: 'tick', payload_schema: schema({ amount: number, sum: number }, []) },
      { name: 'approved', payload_schema: schema({ said: { type: 'string' }, amount: number, sum: number }, []) },
    ].filter(({ name }) => kinds.includes(name)),
    accepts: {
      effects: [
        { name: 'set_context', payload_schema: schema({ sum: number }, []) },
        ...sorts.map((sort) => ({ name: sort, payload_schema: schema({ amount: number }, ['amount']) })),
      ],
    },
    capture: { format_version: '1', fields: kinds.map((kind) => `event.${kind}`) },
  }
}

/** Writes a file of orders, one a second. Returns its name. */
export function orders({ folder }: Stage, amounts: readonly number[], more: readonly string[] = []): string {
  const lines = amounts.map((amount, i) =>
    JSON.stringify({ event_id: `o${i + 1}`, at: 1_767_603_600 + i, semantic_kind: 'order', payload: { amount } }),
  )
  writeFileSync(join(folder, 'orders.jsonl'), [...lines, ...more, ''].join('\n'))
  return join(folder, 'orders.jsonl')
}
