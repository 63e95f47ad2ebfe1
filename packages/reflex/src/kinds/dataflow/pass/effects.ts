import { type Effect, type EffectWrite, SET_CONTEXT } from '../model/effect.ts'
import { type Scalar, type ScalarType, type Tagged, tagged } from '../model/value.ts'
import { intentId, type PassIds } from './intent-id.ts'
import type { PlannedIntent, PlannedNode } from './plan.ts'

/** Returns the value of an input of an action. */
export type InputReader = (port: string) => Scalar

/**
 * Returns the effects of an action that ran (reference 5.1): one `set_context` with the writes and then the mirror writes, if there are any,
 * and one effect for each intent, all in the order of the manifest. `ids` are needed for intents.
 */
export function effectsOf(planned: PlannedNode, input: InputReader, ids: PassIds | undefined): Effect[] {
  const { writes, intents, node } = planned
  const fields = intents.map((intent) => fieldsOf(intent, planned, input))
  const own: EffectWrite[] = writes.map(({ key, type, from }) => ({ key, value: valueOf(type, input(from)) }))
  const mirrors = intents.flatMap((intent, i) =>
    intent.mirrors.map(({ key, from }) => ({ key, value: fields[i]?.find(({ name }) => name === from)?.value as Tagged })),
  )
  const set = [...own, ...mirrors]
  const external = intents.map(({ name }, ordinal): Effect => {
    const id = intentId(ids as PassIds, node.id, name, ordinal)
    return { kind: name, writes: [], intents: [{ kind: name, intent_id: id, fields: fields[ordinal] ?? [] }] }
  })
  return set.length === 0 ? external : [{ kind: SET_CONTEXT, writes: set, intents: [] }, ...external]
}

function fieldsOf({ fields }: PlannedIntent, { parameters }: PlannedNode, input: InputReader): { name: string; value: Tagged }[] {
  return fields.map(({ name, type, from_input: from, from_param: parameter = '' }) => ({
    name,
    value: valueOf(type, from === undefined ? (parameters[parameter] as Scalar) : input(from)),
  }))
}

/** Returns a value with its type. A series is copied: the effect leaves the pass. */
function valueOf(type: ScalarType, value: Scalar): Tagged {
  return tagged(type, copyOut(value))
}

/** Returns a value that leaves the pass. */
export function copyOut<T extends Scalar>(value: T): T {
  return (typeof value === 'object' ? value.slice() : value) as T
}
