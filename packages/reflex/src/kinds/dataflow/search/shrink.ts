import type { Json, JsonObject } from '../../../kernel/index.ts'
import type { HostedEvent } from '../model/event.ts'
import { eventAt } from './generate.ts'

/** The most events that are evaluated to make one sequence shorter. */
const MOST_EVENTS = 50_000

/** An event without its id and time, which follow from its place. */
interface Draft {
  readonly kind: string | undefined
  readonly payload: JsonObject
}

/** Returns true if the last of these events breaks the condition, and none before it. */
export type Breaks = (events: readonly HostedEvent[]) => boolean

/**
 * Makes events that break a condition fewer and plainer: it removes events, then fields, then replaces values by plainer ones, as long as the
 * condition stays broken by the last one. The work is counted.
 */
export function shrink(events: readonly HostedEvent[], numbers: readonly number[], breaks: Breaks): readonly HostedEvent[] {
  const work = { left: MOST_EVENTS }
  let best: readonly Draft[] = events.map(({ semantic_kind: kind, payload = {} }) => ({ kind, payload }))
  const attempt = (drafts: readonly Draft[]): boolean => {
    work.left -= drafts.length
    if (work.left < 0 || drafts.length === 0 || !breaks(placed(drafts))) return false
    best = drafts
    return true
  }
  for (let before = ''; before !== JSON.stringify(best) && work.left > 0; ) {
    before = JSON.stringify(best)
    fewerEvents(() => best, attempt)
    for (let place = 0; place < best.length; place++) plainerEvent(() => best, place, { attempt, numbers })
  }
  return placed(best)
}

type Attempt = (drafts: readonly Draft[]) => boolean

function placed(drafts: readonly Draft[]): HostedEvent[] {
  return drafts.map(({ kind, payload }, place) => eventAt(place, kind, payload))
}

/** Removes events: large pieces first. */
function fewerEvents(best: () => readonly Draft[], attempt: Attempt): void {
  for (let size = Math.max(1, best().length >> 1); size >= 1; size >>= 1)
    for (let at = 0; at < best().length; ) if (!attempt(best().toSpliced(at, size))) at += size
}

function plainerEvent(
  best: () => readonly Draft[],
  place: number,
  { attempt, numbers }: { readonly attempt: Attempt; readonly numbers: readonly number[] },
): void {
  const put = (payload: JsonObject): boolean => attempt(best().with(place, { kind: best()[place]?.kind, payload }))
  for (const key of Object.keys(best()[place]?.payload ?? {})) {
    const { [key]: value, ...rest } = best()[place]?.payload ?? {}
    if (value === undefined || put(rest)) continue
    for (let now: Json = value; ; ) {
      const current: Json = now
      const plainer = plainerValues(current, numbers).find((next) => put({ ...best()[place]?.payload, [key]: next }))
      if (plainer === undefined) break
      now = plainer
    }
  }
}

/** Returns plainer values to try in place of one, the plainest first. Each is plainer by a measure that ends. */
function plainerValues(value: Json, numbers: readonly number[]): Json[] {
  if (value === true) return [false]
  if (typeof value === 'string') return value === '' ? [] : ['', value.slice(0, value.length >> 1), value.slice(0, -1)]
  if (Array.isArray(value)) {
    const items = value as readonly Json[]
    return items.length === 0
      ? []
      : [[], items.slice(items.length >> 1), items.slice(1), items.slice(0, -1)].filter((one) => one.length < items.length)
  }
  if (typeof value !== 'number') return []
  const steps = Array.from({ length: 32 }, (_, power) => value - Math.sign(value) * 2 ** power)
  const near = [0, 1, -1, ...numbers, ...numbers.flatMap((number) => [number - 1, number + 1]), Math.trunc(value), ...steps]
  return near.filter((one) => costOf(one) < costOf(value)).sort((a, b) => costOf(a) - costOf(b))
}

/** Returns the effort to read a number: whole and small ones are plain. */
function costOf(value: number): number {
  return Math.abs(value) * 2 + (value < 0 ? 1 : 0) + (Number.isInteger(value) ? 0 : 1e300)
}
