import type { Line } from '../measure.ts'
import { Delays } from './delays.ts'
import { type HourSample, megabytes } from './hour-samples.ts'
import type { TableFacts } from './table-facts.ts'

/** The minutes of which figures are printed, besides the last one. */
const MINUTES = [1, 5, 15, 30, 60]
const MINUTE_MS = 60_000
/** The share by which a table may be larger at the end than at the half, and count as flat. */
const FLAT = 0.05

/** Prints the figures of some minutes, and whether each table grows. */
export function printHour(line: Line, samples: readonly HourSample[]): void {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined) return
  const moments = MINUTES.map((minute) => minute * MINUTE_MS).filter((at) => at <= last.at)
  const chosen = [...moments, ...(moments.includes(last.at) ? [] : [last.at])].flatMap(
    (at) => samples.find((sample) => sample.at === at) ?? [],
  )
  let before = first
  for (const sample of chosen) {
    printSpan(line, before, sample, samples)
    before = sample
  }
  const half = samples.find(({ at }) => at >= last.at / 2) ?? first
  for (const name of last.tables.keys()) printTable(line, name, { first, half, last, chosen, samples })
}

function printSpan(line: Line, from: HourSample, to: HourSample, samples: readonly HourSample[]): void {
  const of = (key: 'logBytes' | 'wholePages' | 'commits' | 'serverMs' | 'workerMs' | 'effects'): number =>
    (to[key] - from[key]) / ((to.at - from.at) / 1000)
  const span = samples.filter(({ at }) => at > from.at && at <= to.at)
  line(
    `minutes ${from.at / MINUTE_MS} to ${to.at / MINUTE_MS}`,
    `${of('effects').toFixed(1)} effects/s`,
    `${of('commits').toFixed(0)} commits/s, log ${(of('logBytes') / 1000).toFixed(0)} kB/s (${of('wholePages').toFixed(1)} whole pages/s), ` +
      `server ${(of('serverMs') / 10).toFixed(0)} %, workers ${(of('workerMs') / 10).toFixed(0)} % of a processor, largest ${megabytes(to.workerBytes)}`,
  )
  for (const what of ['starts', 'answers', 'timers'] as const) {
    const all = new Delays()
    for (const { delays } of span) all.addAll(delays[what])
    line(`  ${what}: due to begun`, `${all.at(0.5)} ms`, `p99 ${all.at(0.99)} ms, most ${all.at(1)} ms, ${all.count} turns`)
  }
}

interface TableSamples {
  readonly first: HourSample
  readonly half: HourSample
  readonly last: HourSample
  readonly chosen: readonly HourSample[]
  readonly samples: readonly HourSample[]
}

function printTable(line: Line, name: string, { first, half, last, chosen, samples }: TableSamples): void {
  const end = last.tables.get(name)
  if (end === undefined) return
  const most = Math.max(...samples.map(({ tables }) => tables.get(name)?.dead ?? 0))
  const inPlace = difference(end, first.tables.get(name), 'updatedInPlace')
  const updates = difference(end, first.tables.get(name), 'updated')
  const share = updates === 0 ? '' : `${((100 * inPlace) / updates).toFixed(0)} % of ${updates} updates in place, `
  line(
    name,
    verdict(half.tables.get(name), end),
    `${share}at most ${most} dead rows, autovacuum ${end.vacuums} times, ${(end.vacuumMs / 1000).toFixed(1)} s`,
  )
  for (const { at, tables } of chosen) {
    const facts = tables.get(name)
    if (facts === undefined) continue
    const { tableBytes, indexBytes, live, dead, vacuums } = facts
    line(
      `  minute ${at / MINUTE_MS}`,
      megabytes(tableBytes + indexBytes),
      `table ${megabytes(tableBytes)}, indexes ${megabytes(indexBytes)}; ${live} live, ${dead} dead; vacuumed ${vacuums} times`,
    )
  }
}

function difference(to: TableFacts, from: TableFacts | undefined, key: 'updated' | 'updatedInPlace'): number {
  return to[key] - (from?.[key] ?? 0)
}

/** Says whether a table was larger at the end than at the half of the time, and whether its rows explain that. */
function verdict(half: TableFacts | undefined, end: TableFacts): string {
  if (half === undefined) return 'grows'
  const size = ({ tableBytes, indexBytes }: TableFacts): number => tableBytes + indexBytes
  const growth = size(end) / size(half) - 1
  if (growth <= FLAT) return 'flat'
  return growth <= end.live / Math.max(1, half.live) - 1 + FLAT ? 'grows with its rows' : `grows by ${(100 * growth).toFixed(0)} %`
}
