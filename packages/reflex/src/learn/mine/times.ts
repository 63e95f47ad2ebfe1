import type { CallLog } from './call-log.ts'
import type { StepTimes } from './pattern.ts'

/** The times and costs of occurrences. */
export interface Figures {
  readonly times: readonly StepTimes[]
  readonly costP95: number
  readonly msP95: number
  readonly deltaP95: number
}

/** The place of a value in a sorted column, so that the given share is not above it. */
function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

/**
 * Returns the times of the steps of occurrences, and what the skill saves at the 95th percentile: instead of the replies that issued the
 * calls it takes one of mean length.
 */
export function figuresOf(log: CallLog, places: readonly number[], length: number): Figures {
  const count = places.length
  const steps = Array.from({ length }, () => new Float64Array(count))
  const [costs, tools, walls] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)]
  let [replyMs, replies] = [0, 0]
  for (const [i, place] of places.entries()) {
    let last = -1
    let waited = 0
    for (let k = 0; k < length; k++) {
      const ms = log.ms[place + k] ?? 0
      const step = steps[k]
      if (step !== undefined) step[i] = ms
      tools[i] = (tools[i] ?? 0) + ms
      costs[i] = (costs[i] ?? 0) + (log.cost[place + k] ?? 0)
      const reply = log.reply[place + k] ?? -1
      if (reply < 0 || reply === last) continue
      last = reply
      waited += log.replyMs[reply] ?? 0
      replies++
    }
    replyMs += waited
    walls[i] = (tools[i] ?? 0) + waited
  }
  const meanReply = replies === 0 ? 0 : replyMs / replies
  const [before, after] = [percentile(walls.sort(), 0.95), percentile(tools.sort(), 0.95) + meanReply]
  return {
    times: steps.map((column) => ({ median: percentile(column.sort(), 0.5), p95: percentile(column, 0.95) })),
    costP95: percentile(costs.sort(), 0.95),
    msP95: percentile(tools, 0.95),
    deltaP95: before === 0 ? 0 : after / before - 1,
  }
}
