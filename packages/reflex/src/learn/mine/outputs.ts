import type { RunRead } from '../shapes/call-sequence.ts'
import { isRedacted } from '../shapes/marks.ts'
import type { MinedOutput } from './pattern.ts'
import type { Row } from './rows.ts'
import { SlotFactsCollector } from './slot-facts.ts'
import { containsWord, namedScalars, scalarText, type ValuePath } from './values.ts'

/** The share of occurrences after which an output is used. */
const USED = 0.5
/** A shorter value is found in a later text by chance. */
const SHORTEST = 3
const MOST = 16
/** The most characters of what follows an occurrence. */
const MOST_TEXT = 65_536

interface Count {
  readonly path: ValuePath
  readonly facts: SlotFactsCollector
  used: number
}

/** Counts the scalars of last results that later calls of the same strand use, or the final text of the run. */
export class OutputCounter {
  readonly #counts = new Map<string, Count>()
  #rows = 0

  add(row: Row, read: RunRead): void {
    this.#rows++
    const later = laterText(row, read)
    const result = row.results.at(-1) ?? null
    if (typeof result !== 'object' || result === null) return
    for (const [path, value] of namedScalars(result)) {
      const text = scalarText(value)
      if (text === undefined || text.length < SHORTEST || isRedacted(value) || path.length === 0) continue
      const pointer = path.join('/')
      const count = this.#counts.get(pointer) ?? { path, facts: new SlotFactsCollector(), used: 0 }
      this.#counts.set(pointer, count)
      count.facts.add(value)
      if (containsWord(later, text)) count.used++
    }
  }

  /** Returns the outputs, those that are used most first. */
  found(): readonly MinedOutput[] {
    return [...this.#counts]
      .filter(([, { used }]) => used > 0 && used >= USED * this.#rows)
      .sort(([a, one], [b, other]) => other.used - one.used || (a < b ? -1 : 1))
      .slice(0, MOST)
      .map(([, { path, used, facts }]) => ({ path, used: used / this.#rows, facts: facts.facts(false) }))
  }
}

function laterText({ source }: Row, { shape, leaves }: RunRead): string {
  const sequence = shape.sequences.find(({ strand }) => strand === source.strand)
  const last = source.records.at(-1) ?? 0
  const from = (sequence?.record.lastIndexOf(last) ?? -1) + 1
  const later = sequence?.leaves.slice(from).map((line) => JSON.stringify(leaves[line]?.args ?? null)) ?? []
  return [...later, shape.final].join('\n').slice(0, MOST_TEXT)
}
