import {
  equalJson,
  isList,
  isObject,
  type Json,
  messageIds,
  type Rec,
  State,
  isFault,
  replay,
  type Runtime,
  type Store,
} from '../../kernel/index.ts'
import type { KindSubject } from '../kind-suite/subject.ts'
import { placeOf, replayText } from '../kind-suite/difference.ts'
import { RUN, StuckError, textOf } from '../kind-suite/process-life.ts'
import { segmentErrors } from '../kind-suite/segments.ts'
import { isSealed } from '../kind-suite/short-segments.ts'
import type { Watch } from '../kind-suite/watch.ts'

/** The result of an undisturbed run. */
export interface UndisturbedResult {
  readonly endState: Json
  readonly deadlines: readonly string[]
}

/** A run that has ended, with everything that the audit examines. */
export interface EndedRun {
  readonly subject: KindSubject
  /** The runtime with the programs and the store. */
  readonly runtime: Runtime
  readonly store: Store
  readonly watch: Watch
  /** Absent for the undisturbed run itself. */
  readonly expected: UndisturbedResult | undefined
  /** The state in the process that ended the run, if that process still has it. */
  readonly live?: State | undefined
  /** True if time did not pass as in the undisturbed run. Other deadlines can be missed then. */
  readonly hasTimeJumped: boolean
}

/** Examines everything that a run has left, and returns its records. Reports violations to the watch. */
export async function audit(ended: EndedRun): Promise<{ readonly records: readonly Rec[]; readonly undisturbed: UndisturbedResult }> {
  const { subject, runtime, watch } = ended
  const { records, state, row } = await runtime.history(RUN)
  const folded = new State()
  for (const record of records) folded.apply(record)
  const text = textOf(folded, subject)
  if (textOf(state, subject) !== text) watch.report('differs', 'the state in the store differs from the fold of its journal')
  if (ended.live !== undefined && ended.live.n === folded.n && textOf(ended.live, subject) !== text)
    watch.report('differs', 'the live state differs from the fold of the journal')
  if (row.status !== (folded.ended?.status === 'done' ? 'completed' : folded.ended?.status))
    watch.report('differs', `the row says ${row.status}, but the journal says ${folded.ended?.status ?? 'that the run continues'}`)
  const { difference } = replay(records, runtime.programs)
  if (difference !== undefined) watch.report('differs', replayText(difference))
  if (isSealed(subject)) for (const text of await segmentErrors(runtime, ended.store, RUN, subject)) watch.report('differs', text)
  const undisturbed = { endState: endStateOf(folded, subject), deadlines: deadlines(records) }
  compare(ended, undisturbed)
  auditEffects(records, watch)
  auditAcknowledged(records, watch)
  await auditMessages(ended, records)
  return { records, undisturbed }
}

function compare({ subject, expected, watch, hasTimeJumped }: EndedRun, actual: UndisturbedResult): void {
  if (expected === undefined || equalJson(actual.endState, expected.endState)) return
  if (hasTimeJumped && (subject.limitsTime !== undefined || !equalJson([...actual.deadlines], [...expected.deadlines]))) return
  const [actualText, expectedText] = [JSON.stringify(actual.endState), JSON.stringify(expected.endState)]
  watch.report(
    'differs',
    `the end differs${placeOf(actual.endState, expected.endState)}:\n  is        ${actualText}\n  should be ${expectedText}`,
  )
}

/** Reports a result in the journal that the world has not given. */
function auditEffects(records: readonly Rec[], watch: Watch): void {
  for (const { input } of records)
    if (input?.[0] === 'ok' && !watch.wasPerformed(input[1])) watch.report('lost', `effect ${input[1]} has settled but was never performed`)
}

/** Reports acknowledged answers and published records that are not in the journal. */
function auditAcknowledged(records: readonly Rec[], watch: Watch): void {
  for (const [n, what] of watch.acknowledged) {
    const { input } = records[n - 1] ?? {}
    if (input?.[0] !== 'answer' || `answer ${input[1]}` !== what)
      watch.report('lost', `${what} was acknowledged as record ${n}, but the record does not hold it`)
  }
  for (const [n, record] of watch.published) {
    const found = records[n - 1]
    if (found === undefined || recordText(found) !== recordText(record))
      watch.report('lost', `record ${n} was shown to a subscriber as durable, but the journal does not hold it`)
  }
}

/**
 * Returns a record as text without the value of a return or an end, because the queue of the state holds that value and the stored record
 * does not.
 */
function recordText(record: Rec): string {
  const { input } = record
  return JSON.stringify(input?.[0] === 'ret' || input?.[0] === 'end' ? { ...record, input: input.slice(0, 3) } : record)
}

/**
 * Reports each message that was lost or repeated. A message must be taken once or still wait in the inbox. The id of a message is known until
 * the second seal after the record that took it; a message that is sent again later is a new one.
 */
async function auditMessages({ store, watch }: EndedRun, records: readonly Rec[]): Promise<void> {
  const waiting = new Set((await store.inbox(RUN)).map(({ id }) => id))
  const taken = new Map<string, number[]>()
  let seals = 0
  for (const { input } of records) {
    if (input?.[0] === 'kernel' && input[1] === 'seal') seals++
    for (const id of messageIds(input)) taken.set(id, [...(taken.get(id) ?? []), seals])
  }
  for (const id of watch.accepted) {
    const times = [...(taken.get(id) ?? []), ...(waiting.has(id) ? [seals] : [])]
    if (times.length === 0) watch.report('lost', `message ${id} was accepted, but is neither taken nor waiting`)
    if (times.some((segment, i) => i > 0 && segment - (times[i - 1] ?? 0) < 2))
      watch.report('repeated', `message ${id} was taken ${taken.get(id)?.length ?? 0} times, or was taken and still waits`)
  }
}

/**
 * Reports a run without an owner, after a process is over: a running run must be due for other processes, and a suspended run must have
 * nothing to do.
 */
export async function auditOwner(store: Store, runtime: Runtime, watch: Watch, now: number): Promise<void> {
  const [row] = await store.runs({ prefix: RUN })
  if (row === undefined || row.last === 0) return
  if (row.status === 'running') {
    const due = await store.due(now)
    if (!due.includes(RUN)) watch.report('unowned', `after record ${row.last} the row says running, but the run is not due for any process`)
  }
  if (row.status !== 'suspended') return
  const { state } = await runtime.peek(RUN)
  if (state.queue.peek() !== undefined || [...state.pendingEffects()].some(({ isQuestioned }) => !isQuestioned))
    watch.report('unowned', `after record ${row.last} the row says suspended, but the run has something to do`)
}

/** Records the failure of a life. Returns its code if the failure is allowed; otherwise reports a violation and returns undefined. */
export function recordFailure(thrown: unknown, watch: Watch): string | undefined {
  if (isFault(thrown) && thrown.verdict !== 'bug') return thrown.code
  if (thrown instanceof StuckError) watch.report('stuck', thrown.message)
  else watch.report('untyped', thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))
  return undefined
}

/**
 * Returns the part of the end of a run that must be equal in every disturbed run: everything except times and record numbers, which change
 * with a question about an unknown outcome.
 */
function endStateOf(state: State, subject: KindSubject): Json {
  const { root, ended } = state
  const kind = subject.kinds.find(({ name }) => name === state.pins[root.pin]?.[1])
  const history = new Map<string, Json[]>()
  for (const { key, value, label } of root.scope.entries()) {
    const entry: Json = [label ?? null, value === undefined ? [] : [value]]
    if (kind?.board?.history === true) history.set(key, [...(history.get(key) ?? []), entry])
    else if (value === undefined) history.delete(key)
    else history.set(key, [value])
  }
  const endState: Json = {
    status: ended?.status ?? 'open',
    value: withoutFaultData(ended?.value ?? null),
    position: (subject.timeless ?? ((position: Json) => position))(root.position ?? null),
    args: root.args ?? null,
    pins: state.pins.map(([name, , , hash]) => [name, hash]),
    board: Object.fromEntries(history),
    frames: state.frames.size,
    waits: state.waits.size,
    flights: [...state.pendingEffects()].length,
  }
  return subject.times === undefined ? endState : withoutTimes(endState, new Set(subject.times))
}

/** Returns a value without the fields that hold times, at any depth. */
function withoutTimes(value: Json, times: ReadonlySet<string>): Json {
  if (isList(value)) return value.map((item) => withoutTimes(item, times))
  if (!isObject(value)) return value
  const remaining = Object.entries(value).filter(([key]) => !times.has(key))
  return Object.fromEntries(remaining.map(([key, inner]) => [key, withoutTimes(inner, times)]))
}

/** Returns a fault without its data, which can hold record numbers. A fault names its run and has no other part that can differ. */
function withoutFaultData(value: Json): Json {
  return isObject(value) && typeof value.code === 'string' && 'verdict' in value
    ? { code: value.code, message: value.message ?? null }
    : value
}

const EXTERNAL_INPUTS: ReadonlySet<string> = new Set(['ok', 'err', 'part', 'answer', 'message', 'messages'])

/**
 * Returns the waits that ended at their deadline, each with its name and the number of inputs from outside before it. A clock that jumps
 * can change only these.
 */
function deadlines(records: readonly Rec[]): readonly string[] {
  const state = new State()
  const deadlineTexts: string[] = []
  let externalInputs = 0
  for (const record of records) {
    const { input } = record
    if (input?.[0] === 'timer') deadlineTexts.push(`${state.waits.get(input[1])?.name ?? ''} after ${externalInputs}`)
    if (input !== undefined && EXTERNAL_INPUTS.has(input[0])) externalInputs++
    state.apply(record)
  }
  return deadlineTexts.sort()
}
