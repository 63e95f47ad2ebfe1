import type { Json } from '../../kernel/journal/json.ts'
import type { Call } from '../../kernel/ports/port.ts'
import type { Rec } from '../../kernel/journal/record.ts'
import { replay } from '../../kernel/run/replay.ts'
import type { State } from '../../kernel/state/state.ts'
import { isFault } from '../../kernel/journal/fault.ts'
import { type OriginalRun, storeAfter } from './partial-store.ts'
import { requireNoViolations, inputName, ProcessLife, RUN, requireEqual, textOf } from './process-life.ts'
import type { KindSubject, Outcome } from './subject.ts'
import { Watch, type WorldEvent } from './watch.ts'

/** An undisturbed run. */
export interface UndisturbedRun extends OriginalRun {
  readonly outcome: Outcome
  readonly records: readonly Rec[]
}

const FORK = 'fork-1'

/**
 * Forks a run at each of its records, in the world as it was then, and carries the fork to its end. Where it cannot be
 * forked, it must say so, and name points where it can. Answers with the records that were refused.
 */
export async function forkEverywhere(
  subject: KindSubject,
  original: UndisturbedRun,
  fold: (records: readonly Rec[]) => State,
): Promise<number[]> {
  const refused: number[] = []
  for (let n = 1; n <= original.records.length; n++) {
    const shared = original.records.slice(0, n)
    const points = await forkAt(subject, original, shared, fold(shared))
    if (points === undefined) continue
    refused.push(n)
    const otherPoints = points.filter((point) => Math.abs(point - n) > 0)
    if (otherPoints.length === 0) throw new Error(`record ${n} cannot be forked, and no point is named where it can`)
    for (const point of otherPoints) {
      const part = original.records.slice(0, point)
      if ((await forkAt(subject, original, part, fold(part))) !== undefined)
        throw new Error(`record ${n} names record ${point} as one to fork at, and that cannot be forked`)
    }
  }
  return refused
}

/** Forks at the last of some records. Answers with the points that a refusal names. */
async function forkAt(subject: KindSubject, original: UndisturbedRun, shared: readonly Rec[], state: State): Promise<number[] | undefined> {
  const n = shared.length
  const where = `the fork at record ${n} (${inputName(shared.at(-1))})`
  const events: WorldEvent[] = []
  const watch = new Watch((event) => void events.push(event))
  const store = await storeAfter(shared, state, original, subject, watch)
  const takenMessages = new Set(shared.flatMap(({ input }) => (input?.[0] === 'message' && input[3] !== undefined ? [input[3]] : [])))
  let addedRecords = 0
  const life = new ProcessLife(subject, store, watch, {
    number: 2,
    run: FORK,
    takenMessages,
    effectView: (call) => asInSource(call, n, addedRecords),
  })
  try {
    const forked = await life.runtime.fork(RUN, { at: n, id: FORK, actor: 'the suite' })
    // The last one says that it is resumed.
    addedRecords = forked.state.n - n + 1
  } catch (thrown) {
    if (!isFault(thrown) || (thrown.code !== 'R2060' && thrown.code !== 'R2061')) throw thrown
    if (n < original.records.length && !hasPendingEffects(state) && state.ended === undefined) throw thrown
    return Object.values(thrown.data ?? {}).filter((point) => typeof point === 'number' && point !== 0) as number[]
  }
  requireEqual(
    `the state that ${where} shares`,
    comparableState((await life.runtime.peek(FORK, n)).state, subject),
    comparableState(state, subject),
  )
  requireEqual(`what is due for ${where} before it is resumed`, (await store.due(Number.MAX_SAFE_INTEGER)).includes(FORK), false)
  requireEqual(`what ${where} has performed before it is resumed`, events, [])
  const end = await life.runToEnd()
  requireEqual(
    `the end of ${where}`,
    end === undefined ? null : withSourceName(comparableOutcome(end, subject)),
    comparableOutcome(original.outcome, subject),
  )
  const settled = new Set(shared.flatMap(({ input }) => (input?.[0] === 'ok' || input?.[0] === 'err' ? [String(input[1])] : [])))
  for (const event of events) {
    if (event[0] !== 'performed') continue
    if (settled.has(event[1])) throw new Error(`${where} performed effect ${event[1]} again, which had settled`)
    if (event[2]?.startsWith(`${RUN}:`) === true) throw new Error(`${where} performed effect ${event[1]} under a key of its source`)
  }
  await requireExactReplay(life, where)
  requireNoViolations(watch)
  return undefined
}

function hasPendingEffects(state: State): boolean {
  return !state.pendingEffects().next().done
}

async function requireExactReplay(life: ProcessLife, where: string): Promise<void> {
  const { records } = await life.runtime.history(FORK)
  const { difference } = replay(records, life.runtime.programs)
  if (difference !== undefined)
    requireEqual(`the replay of record ${difference.record} of ${where}`, difference.decided, difference.recorded)
}

/** An effect of the fork as it was in its source: a world that answers by keys and names of runs would answer a fork otherwise. */
function asInSource({ id, key, run, args }: Call, shared: number, addedRecords: number): Pick<Call, 'key' | 'args'> {
  const [record = '', ...rest] = String(id).split('.')
  const name = [Number(record) > shared ? Number(record) - addedRecords : record, ...rest].join('.')
  return { key: key === `${run}:${id}` ? `${RUN}:${name}` : key, args: args === undefined ? undefined : withSourceName(args) }
}

/** A value as its source would have had it: what names the run names that one. */
function withSourceName<Value extends Json>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll(FORK, RUN)) as Value
}

/** What a run comes to, without the book-keeping of its kind, which may count records. */
function comparableOutcome({ status, value, board }: Outcome, subject: KindSubject): Json {
  if (subject.draws !== undefined) return { status }
  const [root] = subject.programs
  const kind = subject.kinds.find(({ name }) => name === root?.kind)
  const values = Object.entries(board).filter(([key]) => kind?.isInternal?.(key) !== true)
  return { status, value, board: Object.fromEntries(values) }
}

/** A state without whose it is. */
function comparableState(state: State, subject: KindSubject): unknown {
  const { start: _, ...rest } = JSON.parse(textOf(state, subject)) as Record<string, unknown>
  return rest
}
