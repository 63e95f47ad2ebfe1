import type { PrimitiveKind } from '../model/manifest.ts'
import type { PortType } from '../model/value.ts'

/** The kinds that can feed an input (reference 1.4). */
const FEEDERS: Readonly<Record<Exclude<PrimitiveKind, 'action'>, readonly PrimitiveKind[]>> = {
  source: [],
  compute: ['source', 'compute'],
  trigger: ['compute', 'trigger'],
}

/** True if an edge can lead from one kind into an input of another. `type`: the type of the input. */
export function canFeed(from: PrimitiveKind, to: PrimitiveKind, type: PortType): boolean {
  if (to !== 'action') return FEEDERS[to].includes(from)
  return type === 'Event' ? from === 'trigger' : from === 'source' || from === 'compute'
}

/** Returns what to do in place of an edge that the matrix forbids. */
export function wiringFix(from: PrimitiveKind, to: PrimitiveKind, type: PortType): string {
  if (from === 'action') return 'nothing leaves an action; write a key with it, and read the key with a source at the next event'
  if (to === 'trigger') return 'put a compute between them; for a Bool, "and" with the value at both inputs'
  if (to === 'compute') return 'use the condition of the trigger in place of its event'
  return type === 'Event' ? 'put a trigger such as emit_if_true between them' : 'use the value; the event belongs into an Event input'
}
