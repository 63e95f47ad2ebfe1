import type { CallSequence, RunShape } from '../shapes/call-sequence.ts'
import { GrowingColumn } from './growing-column.ts'

/** Where the calls of a sequence come from. */
export interface SequenceSource {
  /** The run, as an index of `CallLog.runs`. */
  readonly run: number
  /** The place of the sequence in the shape of its run. */
  readonly place: number
}

/**
 * The calls of many runs as columns. The sequences stand one after another in the order of their runs, each followed by one place without a
 * call, whose symbol is -1, so that no word crosses the end of a sequence.
 */
export interface CallLog {
  /** The texts of symbols, sorted: the number of a symbol is its place. */
  readonly symbols: readonly string[]
  /** The runs in the order of their start, then of their names. */
  readonly runs: readonly string[]
  readonly sequences: readonly SequenceSource[]
  /** The first place of each sequence, and one more for the end. */
  readonly starts: Int32Array
  /** The symbol at each place; -1 between sequences. */
  readonly symbol: Int32Array
  /** The sequence of each place. */
  readonly sequence: Int32Array
  /** 1: succeeded, 0: failed, 2: unknown. */
  readonly ok: Uint8Array
  /** The reply that issued the call, as an index of the columns of replies; -1 without one. */
  readonly reply: Int32Array
  /** US dollars and milliseconds of the call itself. */
  readonly cost: Float64Array
  readonly ms: Float64Array
  /** US dollars and tokens of each reply, NaN if they are unknown; milliseconds. */
  readonly replyUsd: Float64Array
  readonly replyTokens: Float64Array
  readonly replyMs: Float64Array
}

/** One run of a log before it is sorted. */
interface LoggedRun {
  readonly run: string
  readonly started: number
  /** For each sequence: the first place, the place after its last call, and its place in the shape. */
  readonly sequences: readonly (readonly [from: number, to: number, place: number])[]
}

/** Collects shapes in any order, and makes one log of them that does not depend on that order. */
export class CallLogBuilder {
  readonly #ids = new Map<string, number>()
  readonly #runs: LoggedRun[] = []
  readonly #symbol = new GrowingColumn((size) => new Int32Array(size))
  readonly #ok = new GrowingColumn((size) => new Uint8Array(size))
  readonly #reply = new GrowingColumn((size) => new Int32Array(size))
  readonly #cost = new GrowingColumn((size) => new Float64Array(size))
  readonly #ms = new GrowingColumn((size) => new Float64Array(size))
  readonly #replyUsd = new GrowingColumn((size) => new Float64Array(size))
  readonly #replyTokens = new GrowingColumn((size) => new Float64Array(size))
  readonly #replyMs = new GrowingColumn((size) => new Float64Array(size))

  /** The number of calls. */
  get size(): number {
    return this.#symbol.length
  }

  add({ run, started, sequences }: Pick<RunShape, 'run' | 'started' | 'sequences'>): void {
    const places = sequences.map((sequence, place) => [this.size, this.#addSequence(sequence), place] as const)
    this.#runs.push({ run, started, sequences: places })
  }

  #addSequence({ symbols, ok, group, cost, ms, replies }: CallSequence): number {
    const first = this.#replyMs.length
    for (const { usd = Number.NaN, tokens = Number.NaN, ms: took } of replies) {
      this.#replyUsd.push(usd)
      this.#replyTokens.push(tokens)
      this.#replyMs.push(took)
    }
    for (const [i, text] of symbols.entries()) {
      let id = this.#ids.get(text)
      if (id === undefined) this.#ids.set(text, (id = this.#ids.size))
      this.#symbol.push(id)
      this.#ok.push(ok[i] ?? 2)
      const issuer = group[i] ?? -1
      this.#reply.push(issuer < 0 ? -1 : first + issuer)
      this.#cost.push(cost[i] ?? 0)
      this.#ms.push(ms[i] ?? 0)
    }
    return this.size
  }

  /** Returns the log of the last so many runs: symbols numbered by their sorted texts, runs sorted by start and name. */
  build(window = Number.POSITIVE_INFINITY): CallLog {
    const symbols = [...this.#ids.keys()].sort()
    const rank = new Int32Array(symbols.length)
    for (const [place, text] of symbols.entries()) rank[this.#ids.get(text) ?? 0] = place
    const sorted = this.#runs.toSorted((a, b) => a.started - b.started || compareTexts(a.run, b.run))
    const runs = sorted.slice(Math.max(0, sorted.length - window))
    const sequences = runs.flatMap((run, i) => run.sequences.map(([from, to, place]) => ({ from, to, run: i, place })))
    const size = sequences.reduce((sum, { from, to }) => sum + to - from + 1, 0)
    const log = {
      symbol: new Int32Array(size).fill(-1),
      sequence: new Int32Array(size),
      ok: new Uint8Array(size),
      reply: new Int32Array(size).fill(-1),
      cost: new Float64Array(size),
      ms: new Float64Array(size),
    }
    const starts = new Int32Array(sequences.length + 1)
    let at = 0
    for (const [i, { from, to }] of sequences.entries()) {
      starts[i] = at
      for (let p = from; p < to; p++) log.symbol[at + p - from] = rank[this.#symbol.at(p)] ?? -1
      log.ok.set(this.#ok.part(from, to), at)
      log.reply.set(this.#reply.part(from, to), at)
      log.cost.set(this.#cost.part(from, to), at)
      log.ms.set(this.#ms.part(from, to), at)
      log.sequence.fill(i, at, at + to - from + 1)
      at += to - from + 1
    }
    starts[sequences.length] = at
    const replies = { replyUsd: this.#replyUsd.all(), replyTokens: this.#replyTokens.all(), replyMs: this.#replyMs.all() }
    return { symbols, runs: runs.map(({ run }) => run), sequences, starts, ...log, ...replies }
  }
}

/** Compares texts by their UTF-16 units, the same on every machine. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
