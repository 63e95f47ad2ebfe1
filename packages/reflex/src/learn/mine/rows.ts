import type { Json } from '../../kernel/index.ts'
import type { RunRead } from '../shapes/call-sequence.ts'
import type { ToolShapes } from '../shapes/operation-shape.ts'
import { argumentForm } from './argument-form.ts'
import type { CallLog } from './call-log.ts'

/** One occurrence of a pattern with its arguments and results. */
export interface Row {
  /** The place of its first call in the log. */
  readonly place: number
  readonly tools: readonly string[]
  /** The arguments of each step, with command lines as words. */
  readonly args: readonly Json[]
  readonly results: readonly Json[]
  /** The texts of users that were known before its first call. */
  readonly userText: string
  /** The facts of the blackboard before its first call. */
  readonly facts: ReadonlyMap<string, Json>
  readonly source: RowSource
}

/** Where an occurrence stands. */
export interface RowSource {
  readonly run: string
  readonly strand: string
  readonly records: readonly number[]
}

/** A wish for one occurrence: the place of its first call, the number of its calls, and what is done with it. */
export interface RowWish {
  readonly place: number
  readonly length: number
  take(row: Row, read: RunRead): void
}

/** Reads the runs of a log by their index. */
export type RunReader = (run: number) => Promise<RunRead | undefined>

/** Reads occurrences: each run once, however many of its occurrences are wanted. A run whose file is gone is left out. */
export class RowReader {
  readonly #log: CallLog
  readonly #readRun: RunReader
  readonly #tools: ToolShapes

  constructor(log: CallLog, readRun: RunReader, tools: ToolShapes) {
    this.#log = log
    this.#readRun = readRun
    this.#tools = tools
  }

  async visit(wishes: readonly RowWish[]): Promise<void> {
    const { sequence, sequences } = this.#log
    let open: { readonly run: number; readonly read: RunRead | undefined } | undefined
    for (const wish of wishes.toSorted((a, b) => a.place - b.place)) {
      const run = sequences[sequence[wish.place] ?? 0]?.run ?? 0
      if (open?.run !== run) open = { run, read: await this.#readRun(run) }
      const row = open.read === undefined ? undefined : this.#row(wish, open.read)
      if (row !== undefined && open.read !== undefined) wish.take(row, open.read)
    }
  }

  #row({ place, length }: RowWish, { shape, leaves }: RunRead): Row | undefined {
    const { sequence, sequences, starts } = this.#log
    const at = sequence[place] ?? 0
    const found = shape.sequences[sequences[at]?.place ?? 0]
    if (found === undefined) return undefined
    const first = place - (starts[at] ?? 0)
    const calls = found.leaves.slice(first, first + length).flatMap((line) => leaves[line] ?? [])
    if (calls.length < length) return undefined
    return {
      place,
      tools: calls.map(({ tool }) => tool),
      args: calls.map(({ tool, args }) => argumentForm(tool, args, this.#tools)),
      results: calls.map(({ result }) => result),
      userText: found.texts.flatMap(([before, text]) => (before <= first ? [text] : [])).join('\n'),
      facts: new Map(found.facts.flatMap(([before, path, value]) => (before <= first ? [[path, value] as const] : []))),
      source: { run: shape.run, strand: found.strand, records: found.record.slice(first, first + length) },
    }
  }
}
