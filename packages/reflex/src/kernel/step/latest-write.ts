import type { Json } from '../journal/json.ts'

/** The places of the latest writes of a list, up to the length that has been read. */
interface Places {
  readonly of: Map<string, number>
  until: number
}

/** A list with more entries gets a map: a step may write the same few keys a million times, and read others in between. */
const FEW = 64
const long = new WeakMap<readonly Json[], Places>()

/** Returns the place of the latest write of a key in a flat list of keys and values, which only grows at its end; -1 if there is none. */
export function latestWrite(writes: readonly Json[], key: string): number {
  if (writes.length > FEW) return placesOf(writes).of.get(key) ?? -1
  for (let i = writes.length - 2; i >= 0; i -= 2) if (writes[i] === key) return i
  return -1
}

function placesOf(writes: readonly Json[]): Places {
  let places = long.get(writes)
  if (places === undefined) long.set(writes, (places = { of: new Map(), until: 0 }))
  for (; places.until < writes.length; places.until += 2) places.of.set(writes[places.until] as string, places.until)
  return places
}
