import type { Rec } from 'reflex-runtime/kernel'
import type { WorldLine } from '../processes.ts'
import type { Outage } from './fleet.ts'
import { pairsOf, type Plan, stepsOf } from './plan.ts'

/** A batch of records: the first one, their number, and the time of its commit by the clock of the server. */
export interface Batch {
  readonly first: number
  readonly count: number
  readonly at: number
}

/** The facts about one run at the end of the test. */
export interface Story {
  readonly id: string
  readonly status: string
  readonly plan: Plan
  readonly lines: readonly WorldLine[]
  readonly records: readonly Rec[]
  readonly batches: readonly Batch[]
  /** The times at which a worker began a turn. */
  readonly begun: readonly number[]
  /** The times at which a worker was lost that had the run, or that alone could begin its turn. */
  readonly lost: readonly number[]
  /** Starts, losses of workers, and what was posted with the record that took it. */
  readonly due: readonly { readonly what: string; readonly at: number; readonly record?: number }[]
}

/** A run that was due, and the milliseconds until it was taken, without the times of outages. */
export interface Delay {
  readonly run: string
  readonly what: string
  readonly at: number
  readonly ms: number
}

/** Returns what went wrong in a run: a lost step, one that was repeated after it had settled, or one out of its order. */
export function wrongIn(story: Story): string[] {
  const { id, status, plan, lines } = story
  const wrong = status === 'completed' ? [] : [`${id} is ${status}`]
  for (const step of stepsOf(plan)) {
    const own = lines.filter((line) => line.step === step)
    const keys = new Set(own.map(({ key }) => key))
    if (keys.size > 1) wrong.push(`${id} did ${step} under the keys ${[...keys].join(', ')}`)
    if (status === 'completed' && !own.some(({ did }) => did === 'ended')) wrong.push(`${id} lost ${step}`)
  }
  const of = (step: string, what: WorldLine['did']): number[] =>
    lines.filter((line) => line.did === what && line.step === step).map(({ at }) => at)
  for (const [before, after] of pairsOf(plan)) {
    const [ended, began] = [Math.min(...of(before, 'ended')), Math.min(...of(after, 'begun'))]
    if (began < ended) wrong.push(`${id} began ${after} ${ended - began} ms before ${before} had ended`)
  }
  return [...wrong, ...repeatedIn(story)]
}

/** Steps that began again after the record of their outcome was committed. */
function repeatedIn({ id, lines, records, batches }: Story): string[] {
  const settled = new Map<string, number>()
  records.forEach(({ input }, i) => {
    const at = commitOf(batches, i + 1)
    if ((input?.[0] === 'ok' || input?.[0] === 'err') && at !== undefined) settled.set(`${id}:${input[1]}`, at)
  })
  return lines.flatMap(({ did, step, key, at, pid }) => {
    const since = settled.get(key)
    return did === 'begun' && since !== undefined && at > since
      ? [`${id} repeated ${step} ${at - since} ms after it had settled, in ${pid}`]
      : []
  })
}

function commitOf(batches: readonly Batch[], record: number): number | undefined {
  return batches.find(({ first, count }) => first <= record && record < first + count)?.at
}

/**
 * Returns how long a run waited each time that it was due: for its start, an input, a time, or after the loss of its worker. If a worker that has the
 * run is lost meanwhile, the time counts from that loss: the other workers notice it only when the lease is over.
 */
export function delaysIn(story: Story, outages: readonly Outage[]): Delay[] {
  const { id, batches, begun, lost } = story
  return [...story.due, ...timersIn(story)].flatMap(({ what, at, record }) => {
    const times = [...begun.filter((time) => time >= at), ...(record === undefined ? [] : [commitOf(batches, record) ?? at])]
    if (record === undefined) times.push(...batches.filter((batch) => batch.first > 1 && batch.at >= at).map((batch) => batch.at))
    if (times.length === 0) return []
    const taken = Math.max(at, Math.min(...times))
    const since = Math.max(at, ...lost.filter((time) => time < taken))
    return [{ run: id, what, at, ms: taken - since - outIn(outages, since, taken) }]
  })
}

/** The times for which a run waited and that came, with the records that took them. */
function timersIn({ records }: Story): { readonly what: string; readonly at: number; readonly record: number }[] {
  return records.flatMap(({ input }, i) => {
    if (input?.[0] !== 'timer') return []
    const [, record = '', place = ''] = /^(\d+)w(\d*)$/.exec(String(input[1])) ?? []
    const due = records[Number(record) - 1]?.more?.wait?.[Number(place)]?.[2]
    return typeof due === 'number' ? [{ what: 'timer', at: due, record: i + 1 }] : []
  })
}

function outIn(outages: readonly Outage[], from: number, to: number): number {
  return outages.reduce((sum, outage) => sum + Math.max(0, Math.min(to, outage.to) - Math.max(from, outage.from)), 0)
}
