import type { Json } from '../kernel/index.ts'
import type { Look } from './look.ts'
import { value } from './telling.ts'

/** The least that is left of a value. */
const LEAST = 16
/** A value that is cut has its size behind it. */
const SIZE = 8

/** A value, as much of it as `room` cells hold, with its size where it is cut. */
export function fitted(found: Json, room: number): string {
  const whole = value(found, Math.max(LEAST, room))
  return whole.length <= room ? whole : value(found, Math.max(LEAST, room - SIZE))
}

/** Where texts part: so many letters of their beginnings are kept in front of that. */
const BEFORE = 6

/** Two values that differ, each with the place in which they do: what both begin with is left out where one of them would be cut. */
export function fittedPair(one: string, other: string, room: number): readonly [string, string] {
  if (Math.max(one.length, other.length) <= room) return [one, other]
  let same = 0
  while (same < one.length && one[same] === other[same]) same++
  const from = Math.max(0, Math.min(same - BEFORE, Math.max(one.length, other.length) - room + 1))
  return [part(one, from, room), part(other, from, room)]
}

function part(text: string, from: number, room: number): string {
  const rest = from === 0 ? text : `…${text.slice(from)}`
  return rest.length <= room ? rest : `${rest.slice(0, room - 1)}…`
}

/** Cells up to the right edge of facts, as `layoutText` has it. */
export function edgeOf(look: Look): number {
  return Math.min(look.room, 79)
}
