import { type Json, type Call, messageIds, type Rec, replay, type State, isFault } from '../../kernel/index.ts'
import { type OriginalRun, storeAfter } from './partial-store.ts'
import { requireNoViolations, inputName, ProcessLife, RUN, requireEqual, textOf } from './process-life.ts'
import type { KindSubject, Outcome } from './subject.ts'
import { Watch, type WorldEvent } from './watch.ts'

/** An undisturbed run with its outcome and records. */
export interface UndisturbedRun extends OriginalRun {
  readonly outcome: Outcome
  readonly records: readonly Rec[]
}

const FORK = 'fork-1'

/**
 * Forks a run at each of its records, in the world as it was at that record, and runs the fork to its end. A refused fork must name records
 * at which the run can be forked. Returns the records at which a fork was refused.
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
    const otherPoints = points.filter((point) => point !== n)
    if (otherPoints.length === 0) throw new Error(`the run cannot be forked at record ${n}, and the refusal names no other record`)
    for (const point of otherPoints) {
      const part = original.records.slice(0, point)
      if ((await forkAt(subject, original, part, fold(part))) !== undefined)
        throw new Error(`the refusal at record ${n} names record ${point}, but the run cannot be forked there`)
    }
  }
  return refused
}

/** Forks at the last of the given records. Returns the fork points that a refusal names; undefined if the fork worked. */
async function forkAt(subject: KindSubject, original: UndisturbedRun, shared: readonly Rec[], state: State): Promise<number[] | undefined> {
  const n = shared.length
  const where = `the fork at record ${n} (${inputName(shared.at(-1))})`
  const events: WorldEvent[] = []
  const watch = new Watch((event) => void events.push(event))
  const store = await storeAfter(shared, state, original, subject, watch)
  const takenMessages = new Set(shared.flatMap(({ input }) => messageIds(input)))
  let addedRecords = 0
  const life = new ProcessLife(subject, store, watch, {
    number: 2,
    run: FORK,
    takenMessages,
    effectView: (call) => asInSource(call, n, addedRecords),
  })
  try {
    const forked = await life.runtime.fork(RUN, { at: n, id: FORK, actor: 'the suite' })
    // The last record says that the run is resumed.
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
  requireEqual(`the due state of ${where} before it is resumed`, (await store.due(Number.MAX_SAFE_INTEGER)).includes(FORK), false)
  requireEqual(`the effects of ${where} before it is resumed`, events, [])
  const end = await life.runToEnd()
  requireEqual(
    `the end of ${where}`,
    end === undefined ? null : withSourceName(comparableOutcome(end, subject)),
    comparableOutcome(original.outcome, subject),
  )
  const settled = new Set(shared.flatMap(({ input }) => (input?.[0] === 'ok' || input?.[0] === 'err' ? [String(input[1])] : [])))
  for (const event of events) {
    if (event[0] !== 'performed') continue
    if (settled.has(event[1])) throw new Error(`${where} performed effect ${event[1]} again, although it had settled`)
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
  const { records, opening } = await life.runtime.history(FORK)
  const { difference } = replay(records, life.runtime.programs, opening())
  if (difference !== undefined)
    requireEqual(`the replay of record ${difference.record} of ${where}`, difference.decided, difference.recorded)
}

/**
 * Returns the key and arguments that an effect of the fork has in the source run. The world answers by key and by the name of the run, so
 * it would answer a fork differently.
 */
function asInSource({ id, key, run, args }: Call, shared: number, addedRecords: number): Pick<Call, 'key' | 'args'> {
  const [record = '', ...rest] = String(id).split('.')
  const name = [Number(record) > shared ? Number(record) - addedRecords : record, ...rest].join('.')
  return { key: key === `${run}:${id}` ? `${RUN}:${name}` : key, args: args === undefined ? undefined : withSourceName(args) }
}

/** Returns a value with the name of the source run in place of the name of the fork. */
function withSourceName<Value extends Json>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll(FORK, RUN)) as Value
}

/** Returns the outcome of a run without the internal keys of its kind, which can count records. */
function comparableOutcome({ status, value, board }: Outcome, subject: KindSubject): Json {
  if (subject.draws !== undefined) return { status }
  const [root] = subject.programs
  const kind = subject.kinds.find(({ name }) => name === root?.kind)
  const values = Object.entries(board).filter(([key]) => kind?.isInternal?.(key) !== true)
  return { status, value, board: Object.fromEntries(values) }
}

/** Returns a state without its start, which names the run. */
function comparableState(state: State, subject: KindSubject): unknown {
  const { start: _, ...rest } = JSON.parse(textOf(state, subject)) as Record<string, unknown>
  return rest
}
