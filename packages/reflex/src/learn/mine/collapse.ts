import type { CallLog } from './call-log.ts'

/**
 * A log in which two or more equal calls in a row are one place. Such a place has a symbol of its own: that of the call plus the number
 * of symbols. Without this, repeated calls fill the patterns.
 */
export interface CollapsedLog {
  readonly log: CallLog
  /** The number of symbols of the log. */
  readonly plain: number
  readonly symbol: Int32Array
  /** The place of the first call in the log, and one more item for the end. The place between sequences stays one. */
  readonly from: Int32Array
  /** The run of each place. */
  readonly run: Int32Array
  /** Returns the text of a symbol: a repeated call has a `+` at its end. */
  textOf(symbol: number): string
}

/** Collapses the repetitions of a log. */
export function collapse(log: CallLog): CollapsedLog {
  const plain = log.symbols.length
  const size = log.symbol.length
  const symbol = new Int32Array(size)
  const from = new Int32Array(size + 1)
  const run = new Int32Array(size)
  const runOf = Int32Array.from(log.sequences, (source) => source.run)
  let length = 0
  for (let p = 0; p < size; ) {
    const id = log.symbol[p] ?? -1
    let next = p + 1
    if (id >= 0) while (log.symbol[next] === id) next++
    symbol[length] = next - p > 1 ? id + plain : id
    from[length] = p
    run[length] = runOf[log.sequence[p] ?? 0] ?? 0
    length++
    p = next
  }
  from[length] = size
  return {
    log,
    plain,
    symbol: symbol.subarray(0, length),
    from: from.subarray(0, length + 1),
    run: run.subarray(0, length),
    textOf: (id) => (id < plain ? (log.symbols[id] ?? '') : `${log.symbols[id - plain] ?? ''}+`),
  }
}
