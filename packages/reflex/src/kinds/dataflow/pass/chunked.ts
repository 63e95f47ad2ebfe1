import { groupedCode, type SegmentCode } from './grouped.ts'
import type { Program, Row, Slot } from './program.ts'
import { type Watch, WatchedSlots } from './watched-slots.ts'

/** The most and fewest rows of a chunk, and the fraction of a program that it has in between. */
const MOST_ROWS = 512
const FEWEST_ROWS = 16
const PARTS = 16
/** A row of a chunk costs up to so many times as much as in a whole pass, so chunks are used where they leave out more than that. */
const COST = 6
/** The passes that run everything before chunks are tried again. */
const WHOLE_PASSES = 126

interface Chunk {
  readonly code: SegmentCode
  /** The results that other chunks read. */
  readonly results: readonly Watch[]
}

/**
 * A large program in chunks of rows that belong together. A chunk none of whose inputs has changed since it ran is skipped: its results are
 * still in their slots, with the same bits. Where events change much of the graph, nearly all passes run whole segments instead.
 */
export class ChunkedCode {
  /** The code of each segment. */
  readonly segments: readonly SegmentCode[]
  readonly #watched: WatchedSlots
  readonly #watches: ReadonlyMap<Slot, Watch>
  readonly #count: number
  readonly #isAlways: boolean
  /** The passes until chunks are tried again; 0 while they are used. */
  #whole = 0
  /** The first pass with chunks after others runs all of them, which says nothing. */
  #isFirst = true
  #ran = 0

  /** `isAlways`: use chunks in every pass. */
  constructor(program: Program, isAlways = false) {
    this.#isAlways = isAlways
    const rows = program.segments.reduce((sum, segment) => sum + segment.rows.length, 0)
    const size = Math.max(FEWEST_ROWS, Math.min(MOST_ROWS, Math.ceil(rows / PARTS)))
    const parts = program.segments.map((segment) => chunksOf(depthFirst(segment.rows), size))
    this.#watches = watchesOf(parts.flat())
    this.#count = parts.flat().length
    this.#watched = new WatchedSlots(program.banks, this.#count)
    let first = 0
    this.segments = parts.map((chunks, i) => {
      const made = chunks.map(
        (chunk): Chunk => ({
          code: groupedCode(chunk),
          results: chunk.flatMap(({ out }) => this.#watches.get(out) ?? []),
        }),
      )
      const [start, whole] = [first, groupedCode(program.segments[i]?.rows ?? [])]
      first += chunks.length
      return (banks) => {
        if (this.#whole > 0) return whole(banks)
        for (const [at, { code, results }] of made.entries()) {
          const chunk = start + at
          if (!this.#watched.isDirty(chunk)) continue
          this.#ran++
          // After an error the chunk runs again in the next pass, whatever its inputs are.
          if (code(banks) !== 0) return Number.NaN
          this.#watched.clean(chunk)
          for (const watch of results) this.#watched.note(watch)
        }
        return 0
      }
    })
  }

  /** Begins a pass, and chooses how it is run by what the one before has run. */
  begin(): void {
    if (this.#whole > 0) {
      this.#whole--
      if (this.#whole > 0) return
      this.#watched.forget()
      this.#isFirst = true
    } else if (this.#ran * COST > this.#count && !this.#isFirst && !this.#isAlways) this.#whole = WHOLE_PASSES
    else if (this.#ran > 0) this.#isFirst = false
    this.#ran = 0
  }

  /** A value was stored that is not a result of a chunk. */
  stored(slot: Slot): void {
    const watch = this.#whole === 0 ? this.#watches.get(slot) : undefined
    if (watch !== undefined) this.#watched.note(watch)
  }
}

function chunksOf(rows: readonly Row[], size: number): (readonly Row[])[] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => rows.slice(i * size, (i + 1) * size))
}

/** Returns the chunks that read each slot which they do not compute themselves. */
function watchesOf(chunks: readonly (readonly Row[])[]): Map<Slot, Watch> {
  const readers = new Map<Slot, number[]>()
  for (const [chunk, rows] of chunks.entries()) {
    const own = new Set(rows.map(({ out }) => out))
    const read = new Set(rows.flatMap(({ operands }) => operands.filter((slot) => !own.has(slot))))
    for (const slot of read) {
      const known = readers.get(slot)
      if (known === undefined) readers.set(slot, [chunk])
      else known.push(chunk)
    }
  }
  return new Map([...readers].map(([slot, list]) => [slot, { slot, readers: list }]))
}

/** Returns rows so that each is behind its operands, and near to them: rows that have nothing to do with one another are in different chunks. */
function depthFirst(rows: readonly Row[]): Row[] {
  const makers = new Map(rows.map((row) => [row.out, row]))
  const used = new Set(rows.flatMap(({ operands }) => operands))
  const ordered = new Set<Row>()
  for (const end of rows) {
    if (used.has(end.out)) continue
    const open: { readonly row: Row; next: number }[] = [{ row: end, next: 0 }]
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const operand = top.row.operands[top.next++]
      const maker = operand === undefined ? undefined : makers.get(operand)
      if (maker !== undefined && !ordered.has(maker)) open.push({ row: maker, next: 0 })
      else if (operand === undefined) {
        ordered.add(top.row)
        open.pop()
      }
    }
  }
  return [...ordered]
}
