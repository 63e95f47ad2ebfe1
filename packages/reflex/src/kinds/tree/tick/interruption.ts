import { isObject, type Json } from '../../../kernel/index.ts'
import type { LaidNode } from '../compile/layout.ts'
import type { Ticking } from './ticking.ts'
import { IS_RUNNING } from './states.ts'

/** The types of events that interrupt what is RUNNING (reference tree 4.10). */
const INTERRUPTIONS = /^(?:llm\.interrupt|agent\.loop\.detected|budget\..+\.exceeded)$/

/** A request to stop what is RUNNING and can be interrupted, so that its tree reacts. */
export interface Interruption {
  readonly reason: string
  /** The path or the id of a node; undefined: all of them. */
  readonly node?: string | undefined
}

/** Returns the interruption that an event is: `{ type, reason, node }` with a type that interrupts; undefined for other events. */
export function interruptionOf(event: Json): Interruption | undefined {
  if (!isObject(event) || typeof event.type !== 'string' || !INTERRUPTIONS.test(event.type)) return undefined
  const { type, reason, node } = event
  return { reason: typeof reason === 'string' ? reason : type, node: typeof node === 'string' ? node : undefined }
}

/** Interrupts nodes that are RUNNING, before they are ticked. Those that are not to be interrupted are named by an event. */
export function interrupt(ticking: Ticking, { reason, node: name }: Interruption): void {
  const { state } = ticking
  const isMeant = ({ path, id }: LaidNode): boolean => name === undefined || path === name || id === name
  for (const node of state.layout.nodes) {
    if (node.behaviour.interrupt === undefined || state.state(node) !== IS_RUNNING || !isMeant(node)) continue
    if (!node.behaviour.interrupt(ticking, node, reason))
      ticking.emit('llm.interrupt.ignored', { node_id: node.id, node_path: node.path, reason, severity: 'warning' })
  }
}
