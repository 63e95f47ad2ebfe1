import type { JsonObject } from '../../../kernel/index.ts'
import { bindEvent } from '../adapter/bind-event.ts'
import type { EventForm } from '../adapter/event-form.ts'
import type { Scalar } from '../model/value.ts'
import { evaluatePlan, type PassResult } from '../pass/evaluate.ts'
import type { Plan } from '../pass/plan.ts'
import { plainPayload } from './field-values.ts'
import type { Known } from './known.ts'
import type { FieldValues } from './solve.ts'

/** A pass that shows that something can happen. */
export interface Witness {
  readonly result: PassResult
  /** The actions that fired, by node. */
  readonly fired: ReadonlySet<number>
  readonly payload: JsonObject
}

/** Evaluates a graph, or some of its nodes, for one event; undefined for an event that would be refused. `memory`: keys that actions have written. */
export function tryEvent(
  { adapter }: Pick<Known, 'adapter'>,
  plan: Plan,
  {
    form,
    values,
    memory = new Map(),
  }: { readonly form: EventForm; readonly values: FieldValues; readonly memory?: ReadonlyMap<string, Scalar> },
): Witness | undefined {
  const plain = plainPayload(form)
  if (adapter === undefined || plain === undefined) return undefined
  const payload = { ...plain, ...Object.fromEntries([...values].filter(([key]) => form.fields.some(({ name }) => name === key))) }
  const event = { event_id: 'e1', kind: 'DataAvailable', at: { secs: 0, nanos: 0 }, semantic_kind: form.kind, payload } as const
  const bound = bindEvent(adapter, (key) => memory.get(key), event)
  if ('refused' in bound) return undefined
  const { context } = bound
  const reader = { value: (key: string): Scalar | undefined => (Object.hasOwn(context, key) ? context[key] : undefined) }
  const fired = new Set<number>()
  const actions = new Set(plan.nodes.filter(({ node }) => node.primitive.kind === 'action').map(({ index }) => index))
  const result = evaluatePlan(
    plan,
    reader,
    { graphId: plan.graph.id, eventId: 'e1' },
    {
      trace: ({ node, held }) => {
        if (actions.has(node) && held.length === 0) fired.add(node)
      },
    },
  )
  return { result, fired, payload }
}

/** Returns the fields of an event as text for a message. */
export function eventText({ kind }: EventForm, payload: JsonObject, about: readonly string[]): string {
  const shown = about.filter((key) => Object.hasOwn(payload, key)).map((key) => `${key} ${JSON.stringify(payload[key])}`)
  return shown.length === 0
    ? `an event of ${JSON.stringify(kind)}`
    : `an event of ${JSON.stringify(kind)} with ${shown.slice(0, 4).join(', ')}`
}
