import { equalJson, isList, isObject, type Json } from '../../kernel/journal/json.ts'
import type { Rec } from '../../kernel/journal/record.ts'
import { State } from '../../kernel/state/state.ts'
import type { KindSubject } from '../kind-suite/subject.ts'
import { isFault } from '../../kernel/journal/fault.ts'
import { replay } from '../../kernel/run/replay.ts'
import type { Runtime } from '../../kernel/run/runtime.ts'
import type { Store } from '../../kernel/ports/store.ts'
import { placeOf, replayText } from '../kind-suite/difference.ts'
import { RUN, StuckError, textOf } from '../kind-suite/process-life.ts'
import type { Watch } from '../kind-suite/watch.ts'

/** An undisturbed run. */
export interface UndisturbedResult {
  readonly endState: Json
  readonly deadlines: readonly string[]
}

/** What is looked at once a run has ended. */
export interface EndedRun {
  readonly subject: KindSubject
  /** Knows the programs, and reads the store. */
  readonly runtime: Runtime
  readonly store: Store
  readonly watch: Watch
  /** Absent for the undisturbed run itself. */
  readonly expected: UndisturbedResult | undefined
  /** The state in the process that ended the run, if it still has it. */
  readonly live?: State | undefined
  /** Time did not pass as in the undisturbed run, so that other deadlines may have been missed. */
  readonly hasTimeJumped: boolean
}

/** Looks at everything that a run has left, and answers with its records. What is wrong is in the watch. */
export async function audit(ended: EndedRun): Promise<{ readonly records: readonly Rec[]; readonly undisturbed: UndisturbedResult }> {
  const { subject, runtime, watch } = ended
  const { records, state, row } = await runtime.history(RUN)
  const folded = new State()
  for (const record of records) folded.apply(record)
  const text = textOf(folded, subject)
  if (textOf(state, subject) !== text) watch.report('differs', 'the state in the store is not the fold of its journal')
  if (ended.live !== undefined && ended.live.n === folded.n && textOf(ended.live, subject) !== text)
    watch.report('differs', 'the live state is not the fold of the journal')
  if (row.status !== (folded.ended?.status === 'done' ? 'completed' : folded.ended?.status))
    watch.report('differs', `the row says ${row.status}, and the journal ${folded.ended?.status ?? 'that the run goes on'}`)
  const { difference } = replay(records, runtime.programs)
  if (difference !== undefined) watch.report('differs', replayText(difference))
  const undisturbed = { endState: endStateOf(folded, subject), deadlines: deadlines(records) }
  compare(ended, undisturbed)
  auditEffects(records, watch)
  auditAcknowledged(records, watch)
  await auditMessages(ended, records)
  return { records, undisturbed }
}

function compare({ expected, watch, hasTimeJumped }: EndedRun, actual: UndisturbedResult): void {
  if (expected === undefined || equalJson(actual.endState, expected.endState)) return
  if (hasTimeJumped && !equalJson([...actual.deadlines], [...expected.deadlines])) return
  const [actualText, expectedText] = [JSON.stringify(actual.endState), JSON.stringify(expected.endState)]
  watch.report(
    'differs',
    `the end differs${placeOf(actual.endState, expected.endState)}:\n  is        ${actualText}\n  should be ${expectedText}`,
  )
}

/** A result in the journal is one that the world has given. */
function auditEffects(records: readonly Rec[], watch: Watch): void {
  for (const { input } of records)
    if (input?.[0] === 'ok' && !watch.wasPerformed(input[1])) watch.report('lost', `effect ${input[1]} has settled and was never performed`)
}

/** What somebody was told to be on record, and what subscribers have seen, is there. */
function auditAcknowledged(records: readonly Rec[], watch: Watch): void {
  for (const [n, what] of watch.acknowledged) {
    const { input } = records[n - 1] ?? {}
    if (input?.[0] !== 'answer' || `answer ${input[1]}` !== what)
      watch.report('lost', `${what} was acknowledged as record ${n}, and is not there`)
  }
  for (const [n, record] of watch.published) {
    const found = records[n - 1]
    if (found === undefined || recordText(found) !== recordText(record))
      watch.report('lost', `record ${n} was shown to a subscriber as durable, and is not there`)
  }
}

/** The value of a return or an end stands in the queue of the state, and not in the stored record. */
function recordText(record: Rec): string {
  const { input } = record
  return JSON.stringify(input?.[0] === 'ret' || input?.[0] === 'end' ? { ...record, input: input.slice(0, 3) } : record)
}

/** Each message is taken once, or still waits. */
async function auditMessages({ store, watch }: EndedRun, records: readonly Rec[]): Promise<void> {
  const waiting = new Set((await store.inbox(RUN)).map(({ id }) => id))
  const taken = records.flatMap(({ input }) => (input?.[0] === 'message' ? [input[3]] : []))
  for (const id of watch.accepted) {
    const times = taken.filter((one) => one === id).length
    if (times === 0 && !waiting.has(id)) watch.report('lost', `message ${id} was accepted, and is neither taken nor waiting`)
    if (times > 1 || (times === 1 && waiting.has(id))) watch.report('repeated', `message ${id} was taken ${times} times, or still waits`)
  }
}

/** Once a process is over, a run that lists call running is due for others, and one that is suspended has nothing to do by itself. */
export async function auditOwner(store: Store, runtime: Runtime, watch: Watch, now: number): Promise<void> {
  const [row] = await store.runs({ prefix: RUN })
  if (row === undefined || row.last === 0) return
  if (row.status === 'running') {
    const due = await store.due(now)
    if (!due.includes(RUN)) watch.report('unowned', `after record ${row.last} the run is called running, and is due for nobody`)
  }
  if (row.status !== 'suspended') return
  const { state } = await runtime.peek(RUN)
  if (state.queue.peek() !== undefined || [...state.pendingEffects()].some(({ isQuestioned }) => !isQuestioned))
    watch.report('unowned', `after record ${row.last} the run is called suspended, and has something to do`)
}

/** What a failure of a life means. Answers with its code, if it is one that may come. */
export function recordFailure(thrown: unknown, watch: Watch): string | undefined {
  if (isFault(thrown) && thrown.verdict !== 'bug') return thrown.code
  if (thrown instanceof StuckError) watch.report('stuck', thrown.message)
  else watch.report('untyped', thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))
  return undefined
}

/**
 * What of a run's end must be the same however it was disturbed: everything but times and the numbers of records,
 * which a question about an unknown outcome moves.
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
    position: root.position ?? null,
    args: root.args ?? null,
    pins: state.pins.map(([name, , , hash]) => [name, hash]),
    board: Object.fromEntries(history),
    frames: state.frames.size,
    waits: state.waits.size,
    flights: [...state.pendingEffects()].length,
  }
  return subject.times === undefined ? endState : withoutTimes(endState, new Set(subject.times))
}

/** A value without the fields that hold times, however deep they are. */
function withoutTimes(value: Json, times: ReadonlySet<string>): Json {
  if (isList(value)) return value.map((item) => withoutTimes(item, times))
  if (!isObject(value)) return value
  const remaining = Object.entries(value).filter(([key]) => !times.has(key))
  return Object.fromEntries(remaining.map(([key, inner]) => [key, withoutTimes(inner, times)]))
}

/** A fault names its run and no more that could differ; what it carries as data may hold record numbers. */
function withoutFaultData(value: Json): Json {
  return isObject(value) && typeof value.code === 'string' && 'verdict' in value
    ? { code: value.code, message: value.message ?? null }
    : value
}

const EXTERNAL_INPUTS: ReadonlySet<string> = new Set(['ok', 'err', 'part', 'answer', 'message'])

/** Which waits a time has met, by what they wait for, and after how much else came from outside. A clock that jumps may change that, and nothing else. */
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
