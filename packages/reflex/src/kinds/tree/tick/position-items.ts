import { isList, type Json, type Ref } from '../../../kernel/index.ts'

/** The operation of a node: an effect, a wait or a strand; when it is over; true if it has settled and its result waits on the board. */
export interface NodeOperation {
  readonly ref: Ref
  /** Milliseconds since the epoch; 0: the limit of the tree holds; -1: no limit. */
  readonly due: number
  readonly hasSettled: boolean
}

/** The leaf at which a tick has stopped, with what the tick has asked for before it. */
export interface OpenLeaf {
  readonly index: number
  readonly ref: Ref
  /** The earliest time at which a node wants to be ticked, in milliseconds since the epoch. */
  readonly wake?: number | undefined
  /** True if a node wants another tick as soon as this one is over. */
  readonly wantsAgain: boolean
}

export function openItem({ index, ref, wake = 0, wantsAgain }: OpenLeaf): Json {
  if (wantsAgain) return [index, ref, wake, 1]
  return wake === 0 ? [index, ref] : [index, ref, wake]
}

export function openOf(item: Json): OpenLeaf | undefined {
  if (!isList(item)) return undefined
  const [index, ref, wake = 0, again = 0] = item
  return { index: Number(index), ref: ref as Ref, wake: wake === 0 ? undefined : Number(wake), wantsAgain: again === 1 }
}

export function operationItem({ ref, due, hasSettled }: NodeOperation): Json {
  if (hasSettled) return [ref, due, 1]
  return due === 0 ? [ref] : [ref, due]
}

export function operationOf(item: Json): NodeOperation | undefined {
  return isList(item) ? { ref: item[0] as Ref, due: Number(item[1] ?? 0), hasSettled: item[2] === 1 } : undefined
}

/** Reads a map that was written as key, value, key, value; 0 is an empty one. */
export function* pairs(flat: Json | undefined): Generator<[number, Json]> {
  if (!isList(flat)) return
  for (let i = 0; i < flat.length; i += 2) yield [Number(flat[i]), flat[i + 1] ?? null]
}

/** Writes a map as key, value, key, value; 0 if it is empty. */
export function flatItem(map: ReadonlyMap<number, Json>): Json {
  return map.size === 0 ? 0 : [...map].flat()
}

/** True for equal items of a position: numbers, texts and short lists of them. */
export function isSame(one: Json, other: Json): boolean {
  if (one === other) return true
  if (!isList(one) || !isList(other))
    return typeof one === 'object' && typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other)
  if (one.length !== other.length) return false
  for (let i = 0; i < one.length; i++) if (!isSame(one[i] ?? null, other[i] ?? null)) return false
  return true
}
