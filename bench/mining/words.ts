import { CallLogBuilder } from '../../packages/reflex/src/learn/mine/call-log.ts'
import { collapse, type CollapsedLog } from '../../packages/reflex/src/learn/mine/collapse.ts'
import { compareSymbols, filterWords } from '../../packages/reflex/src/learn/mine/filters.ts'
import { miningParams } from '../../packages/reflex/src/learn/mine/params.ts'
import { Rejections } from '../../packages/reflex/src/learn/mine/rejected.ts'
import { costUnit } from '../../packages/reflex/src/learn/mine/statistics.ts'
import type { PlantedLog } from './planted.ts'

/** The parameters of all measurements. */
export const PARAMS = { window: 1_000_000, bulletin: { usd: 0.0008, tokens: 100 } } as const

/** Returns the columns of a planted log. */
export function columnsOf(log: PlantedLog): CollapsedLog {
  const builder = new CallLogBuilder()
  for (const { shape } of log.shapes()) builder.add(shape)
  return collapse(builder.build())
}

/** Mines words with their costs and filters, without arguments. Returns the number of words that were looked at. */
export function minedWords({ log }: CollapsedLog): number {
  const params = miningParams(PARAMS)
  const columns = collapse(log)
  const rejections = new Rejections(params.listed, compareSymbols(columns))
  const least = Math.max(params.supportFloor, Math.ceil(params.support * log.runs.length))
  return filterWords(columns, { params, least, unit: costUnit(log), rejections }).considered
}
