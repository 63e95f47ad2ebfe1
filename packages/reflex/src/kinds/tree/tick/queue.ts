import { isList, type Json } from '../../../kernel/index.ts'
import type { TreeStep } from './tree-step.ts'

/** The events that came while a tick waited for a leaf, or an execution for the keys that all trees share. */
export const QUEUE_KEY = '_in'

function queueOf(x: TreeStep): readonly Json[] {
  const queue = x.get(QUEUE_KEY)
  return isList(queue) ? queue : []
}

export function hasQueue(x: TreeStep): boolean {
  return queueOf(x).length > 0
}

export function queueEvent(x: TreeStep, body: Json): void {
  x.setInternal(QUEUE_KEY, [...queueOf(x), body])
}

/** Takes the oldest event. */
export function takeQueued(x: TreeStep): Json {
  const [first = null, ...rest] = queueOf(x)
  if (rest.length === 0) x.delete(QUEUE_KEY)
  else x.setInternal(QUEUE_KEY, rest)
  return first
}
