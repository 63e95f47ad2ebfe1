import type { RunShape } from '../shapes/call-sequence.ts'
import { houseTools, type ToolShapes } from '../shapes/operation-shape.ts'
import type { StoredShape } from '../shapes/update-shapes.ts'
import { CallLogBuilder } from './call-log.ts'
import { collapse } from './collapse.ts'
import { findRules } from './find-rules.ts'
import { MINER, miningParams, type MiningParams, paramsHash } from './params.ts'
import type { MinedPattern } from './pattern.ts'
import { byReport, type Reason, type RejectedWord, Rejections } from './rejected.ts'
import { RowReader } from './rows.ts'
import { costUnit, type CostUnit } from './statistics.ts'
import { compareSymbols, filterWords } from './filters.ts'

/** What mining found, and why it rejected the rest. Equal logs and parameters give equal bytes. */
export interface MiningReport {
  readonly miner: { readonly version: string; readonly params_hash: string }
  readonly params: MiningParams
  /** The runs, calls and symbols that were looked at. */
  readonly runs: number
  readonly calls: number
  readonly symbols: number
  /** The least number of runs with a pattern. */
  readonly least: number
  readonly unit: CostUnit
  /** The words that were looked at: each is a pattern or counted under one reason. */
  readonly considered: number
  readonly counts: Readonly<Record<Reason, number>>
  readonly rejected: readonly RejectedWord[]
  readonly patterns: readonly MinedPattern[]
}

/** The facts that mining needs besides the shapes. */
export interface MiningOptions {
  readonly params?: Partial<MiningParams>
  readonly tools?: ToolShapes
}

/** True for a run that succeeded and whose labels are those of the target. */
export function isEligible({ succeeded, labels }: RunShape, { compat }: Pick<MiningParams, 'compat'>): boolean {
  return succeeded && Object.entries(compat).every(([name, value]) => Object.hasOwn(labels, name) && labels[name] === value)
}

/**
 * Mines the patterns of calls in shapes (reference skill 1.21). The order in which the shapes come does not matter. Shapes are read twice or
 * more: the columns of all, the arguments and results only where patterns survive the other filters. It reads no clock and draws no numbers.
 * Throws `R1485` for a parameter that is not valid, before anything is read.
 */
export async function minePatterns(
  shapes: AsyncIterable<StoredShape> | Iterable<StoredShape>,
  { params: given, tools = houseTools }: MiningOptions = {},
): Promise<MiningReport> {
  const params = miningParams(given)
  const builder = new CallLogBuilder()
  const readers = new Map<string, StoredShape['read']>()
  for await (const stored of shapes) {
    const { shape } = stored
    if (!isEligible(shape, params)) continue
    builder.add(shape)
    readers.set(shape.run, () => stored.read())
  }
  const log = builder.build(params.window)
  const least = Math.max(params.supportFloor, Math.ceil(params.support * log.runs.length), 1)
  const unit = costUnit(log)
  const collapsed = collapse(log)
  const rejections = new Rejections(params.listed, compareSymbols(collapsed))
  const { considered, ...filtered } = filterWords(collapsed, { params, least, unit, rejections })
  const rows = new RowReader(log, async (run) => readers.get(log.runs[run] ?? '')?.(), tools)
  const kept = await findRules(collapsed, filtered, { params, unit, rejections, rows })
  return {
    miner: { version: MINER, params_hash: paramsHash(params) },
    params,
    runs: log.runs.length,
    calls: log.symbol.length - log.sequences.length,
    symbols: log.symbols.length,
    least,
    unit,
    considered,
    counts: rejections.counts,
    rejected: rejections.list((symbol) => collapsed.textOf(symbol)),
    patterns: kept.toSorted((a, b) => byReport(a, b, compareSymbols(collapsed))).map(({ pattern }) => pattern),
  }
}
