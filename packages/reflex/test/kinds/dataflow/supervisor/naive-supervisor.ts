import type { Json } from '../../../../src/kernel/index.ts'
import type { Constraints } from '../../../../src/kinds/dataflow/model/constraints.ts'
import type { Instant } from '../../../../src/kinds/dataflow/model/event.ts'
import type { RunTermination } from '../../../../src/kinds/dataflow/model/termination.ts'
import type { Decision } from '../../../../src/kinds/dataflow/supervisor/decision.ts'
import type { Invoker } from '../../../../src/kinds/dataflow/supervisor/invoker.ts'

interface NaiveArrival {
  readonly event_id: string
  readonly kind: string
  readonly at: Instant
  readonly context: Json
  readonly inFlight: number
}

interface Queued {
  readonly at: bigint
  readonly episode: number
  readonly arrival: NaiveArrival
}

const nanosOf = ({ secs, nanos }: Instant): bigint => BigInt(secs) * 1_000_000_000n + BigInt(nanos)
const instantOf = (time: bigint): Instant => ({ secs: Number(time / 1_000_000_000n), nanos: Number(time % 1_000_000_000n) })

/** The algorithm of reference 7.2 word by word, with lists that are sorted and filtered at every event. */
export function naiveSupervisor(arrivals: readonly NaiveArrival[], constraints: Constraints, invoke: Invoker<unknown>) {
  const { max_in_flight, max_per_window = Number.POSITIVE_INFINITY, rate_window = 0, max_retries = 0 } = constraints
  const window = BigInt(rate_window) * 1_000_000n
  const attempts: string[] = []
  const decisions: Decision[] = []
  let clock = 0n
  let next = 0
  let times: bigint[] = []
  let queue: Queued[] = []

  const blocked = (inFlight: number): bigint | undefined => {
    if (max_in_flight !== undefined && inFlight >= max_in_flight) return clock
    times = times.filter((time) => clock - time < window)
    return times.length >= max_per_window ? (times[0] ?? 0n) + window : undefined
  }
  const enqueue = (item: Queued): void => {
    queue = [...queue, item].toSorted((a, b) => (a.at === b.at ? a.episode - b.episode : a.at < b.at ? -1 : 1))
  }
  const run = ({ event_id, context }: NaiveArrival): { termination: RunTermination; retry_count: number } => {
    if (constraints.max_per_window !== undefined) times.push(clock)
    for (let attempt = 0; ; attempt++) {
      attempts.push(event_id)
      const termination = invoke({ event_id, context, attempt })
      const retry =
        termination === 'TimedOut' ||
        (typeof termination === 'object' && /^(NetworkTimeout|AdapterUnavailable|RuntimeError)$/.test(termination.Failed))
      if (!retry || attempt === max_retries) return { termination, retry_count: attempt }
    }
  }

  for (const arrival of arrivals) {
    if (nanosOf(arrival.at) > clock) clock = nanosOf(arrival.at)
    const none = { event_id: arrival.event_id, deadline: null, schedule_at: null, termination: null, retry_count: 0 } as const
    const first = arrival.kind === 'Pump' ? queue[0] : { at: clock, episode: next, arrival }
    if (first === undefined || first.at > clock) {
      decisions.push({ ...none, decision: 'Defer', episode_id: next++ })
      continue
    }
    if (arrival.kind === 'Pump') queue = queue.slice(1)
    else next++
    const at = blocked(arrival.inFlight)
    if (at === undefined) decisions.push({ ...none, decision: 'Invoke', episode_id: first.episode, ...run(first.arrival) })
    else {
      enqueue({ ...first, at })
      decisions.push({ ...none, decision: 'Defer', episode_id: first.episode, schedule_at: instantOf(at) })
    }
  }
  return { decisions, attempts, nextDue: queue[0] === undefined ? undefined : instantOf(queue[0].at) }
}
