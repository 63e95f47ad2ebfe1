import { type Fault, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { quote } from '../../../text/index.ts'
import { schemaIssues } from '../../../text/json-schema/check.ts'
import type { HostedEvent } from '../model/event.ts'
import { normal, type Scalar, typeOf } from '../model/value.ts'
import type { EventForm, PreparedAdapter } from './event-form.ts'
import { explainMisfit, refuse, unknownKind } from './refusal.ts'

/** The context of a pass: the payload of its event with the values of the store merged into it, as own properties. */
export type BoundContext = Readonly<Record<string, Scalar>>

/** An event that can run, or the reason why it cannot. */
export type Bound = { readonly context: BoundContext } | { readonly refused: Fault }

/** Returns the value of a key of the context store; undefined if nothing has written it. */
export type ContextStore = (key: string) => Scalar | undefined

/**
 * Merges an event with the context store and checks the result (reference 6.2, 6.3): a value of the event wins over the store (HST-6), and
 * the store adds only context keys that the schema of the kind has. Numbers are normalised to 0 for −0. The context has its keys in the
 * order of their names.
 *
 * An event that does not fit is refused with `R1331`, which names the field and what was meant. Reads nothing else, so a replay binds alike.
 */
export function bindEvent({ forms }: PreparedAdapter, store: ContextStore, event: HostedEvent): Bound {
  const { semantic_kind: kind, payload } = event
  const form = kind === undefined ? undefined : forms.get(kind)
  if (form === undefined) return { refused: unknownKind(event, [...forms.keys()]) }
  if (payload === undefined) return { refused: refuse('MissingPayload', 'the event has no payload', 'add "payload": {}') }
  if (!isObject(payload)) return { refused: refuse('PayloadMustBeObject', 'the payload is not an object', 'write an object') }
  const context = merge(form, store, payload)
  return context === undefined ? { refused: explainMisfit(form, store, payload) } : { context }
}

function merge(form: EventForm, store: ContextStore, payload: JsonObject): BoundContext | undefined {
  const context: Record<string, Scalar> = {}
  let taken = 0
  for (const { name, isKey, required, keyType, read } of form.fields) {
    let value: Json | undefined
    if (Object.hasOwn(payload, name)) {
      value = payload[name]
      taken++
    } else if (isKey) value = store(name)
    if (value === undefined) {
      if (required !== undefined) return undefined
      continue
    }
    const scalar = keyType === undefined ? read(value) : undefined
    if (scalar === undefined) return undefined
    context[name] = scalar
  }
  if (Object.keys(payload).length !== taken) return undefined
  return form.hasMoreRules && schemaIssues(form.schema, context).length > 0 ? undefined : context
}

/**
 * Binds an event of a fixture without an adapter: nothing is merged, and the context is the payload. Refuses with `R1331` an event that
 * names a kind, and a value that is neither a number, a boolean, a string nor a list of numbers.
 */
export function bindFixture({ semantic_kind: kind, payload = {} }: HostedEvent): Bound {
  if (kind !== undefined) {
    const message = `the event has the kind ${quote(kind)}, and there is no adapter that declares it`
    return { refused: refuse('UnknownSemanticKind', message, 'pass an adapter, or remove "semantic_kind"') }
  }
  if (!isObject(payload)) return { refused: refuse('PayloadMustBeObject', 'the payload is not an object', 'write an object') }
  const context: Record<string, Scalar> = {}
  for (const name of Object.keys(payload).sort()) {
    const value = payload[name]
    if (typeOf(value) === undefined || name === '__proto__') {
      const message = `field ${quote(name)} is not a number, a boolean, a string or a list of numbers`
      return { refused: refuse('UnsupportedFieldType', message, 'write one of these, or leave the field out', name) }
    }
    context[name] = normal(value as Scalar)
  }
  return { context }
}
