import type { Json } from '../kernel/index.ts'
import { countCells, printable } from '../text/index.ts'
import { factsEdge } from './layout.ts'
import type { Look } from './look.ts'
import { valueText } from './event-text.ts'
import { size } from './units.ts'

/** The least number of cells that a shortened value gets. */
const LEAST_CELLS = 16
/** The cells of the size that follows a shortened value: ` 10.7 kB`. */
const SIZE = 8

/**
 * Returns a value, with its size if it is cut, so that the value and the `facts` on its line end at the column of
 * facts.
 */
export function fitValue(found: Json, column: number, facts: readonly string[], look: Look): string {
  const usedCells = facts.reduce((sum, text) => sum + countCells(text) + 2, column)
  const room = Math.max(LEAST_CELLS, factsEdge(look) - usedCells)
  const whole = valueText(found, room)
  return countCells(whole) <= room ? whole : valueText(found, Math.max(LEAST_CELLS, room - SIZE))
}

/** The number of characters shown before the first that differs. */
const CONTEXT = 8

/**
 * Returns two differing texts. If one is longer than `room` characters, both are cut to the part around the first
 * difference and carry their sizes.
 */
export function alignTexts(one: string, other: string, room: number): readonly [string, string] {
  const [left, right] = [Array.from(printable(one)), Array.from(printable(other))]
  const longest = Math.max(left.length, right.length)
  if (longest <= room) return [left.join(''), right.join('')]
  const same = left.findIndex((char, i) => char !== right[i])
  const from = Math.max(0, Math.min((same < 0 ? left.length : same) - CONTEXT, longest - room + 1))
  return [excerpt(left, from, room, one), excerpt(right, from, room, other)]
}

function excerpt(text: readonly string[], from: number, room: number, whole: string): string {
  const begin = from === 0 ? 0 : from + 1
  const rest = text.slice(begin)
  const free = from === 0 ? room : room - 1
  const shown = rest.length <= free ? rest.join('') : `${rest.slice(0, free - 1).join('')}…`
  return `${from === 0 ? '' : '…'}${shown} ${size(new TextEncoder().encode(whole).length)}`
}
