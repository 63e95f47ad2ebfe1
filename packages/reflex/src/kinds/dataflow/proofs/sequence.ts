import type { EventForm } from '../adapter/event-form.ts'
import { type Scalar, untagged } from '../model/value.ts'
import type { Known } from './known.ts'
import type { FieldValues } from './solve.ts'
import { tryEvent, type Witness } from './witness.ts'

/** The most times that one event is repeated. */
const MOST_EVENTS = 32

/** A pass that fails after others. `count`: how many equal events lead to it, itself included. */
export interface LateFailure {
  readonly witness: Witness
  readonly count: number
}

/** Repeats one event from an empty context, each pass with what the passes before have written, until a pass fails at a node. */
export function failsLater(
  known: Known,
  { form, values, node }: { readonly form: EventForm; readonly values: FieldValues; readonly node: string },
): LateFailure | undefined {
  const memory = new Map<string, Scalar>()
  for (let count = 1; count <= MOST_EVENTS; count++) {
    const witness = tryEvent(known, known.plan, { form, values, memory })
    if (witness === undefined) return undefined
    if ('error' in witness.result) return witness.result.error.node === node ? { witness, count } : undefined
    const writes = witness.result.effects.flatMap((effect) => effect.writes)
    if (writes.every(({ key, value }) => memory.get(key) === untagged(value))) return undefined
    for (const { key, value } of writes) memory.set(key, untagged(value))
  }
  return undefined
}
