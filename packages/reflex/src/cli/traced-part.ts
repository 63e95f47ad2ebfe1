import type { TracedRun, TraceOptions } from '../history/trace-of.ts'
import { faults } from '../runs/faults.ts'

/** The options of `reflex trace` for a part of a run. */
export interface PartFlags {
  readonly from?: string
  readonly tail?: string
}

export function tracedPart({ from, tail }: PartFlags): TraceOptions {
  return { from: recordCount('--from', from), tail: recordCount('--tail', tail) }
}

function recordCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw faults.make('R2031', `${option} ${text} is not a whole number above 0`, { fix: `write ${option} 20` })
}

/** Returns the sentence about the records before the first one of a trace. */
export function missingText({ row: { id }, first, gone }: TracedRun): string {
  if (gone === undefined || first > gone.last + 1) return `records up to ${first - 1} are not shown`
  const { last, archive } = gone
  const missing = `records up to ${last} are not in the store`
  return archive === undefined ? `${missing}: ${id} began with the state after them` : `${missing}; they are in the archive ${archive}`
}
