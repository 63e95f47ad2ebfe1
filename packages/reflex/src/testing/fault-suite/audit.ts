import { isFault } from '../../kernel/journal/fault.ts'
import { equalJson, type Json } from '../../kernel/journal/json.ts'
import type { Rec } from '../../kernel/journal/record.ts'
import { replay } from '../../kernel/run/replay.ts'
import type { Runtime } from '../../kernel/run/runtime.ts'
import { State } from '../../kernel/state/state.ts'
import type { Store } from '../../kernel/ports/store.ts'
import { placeOf, replayText } from '../kind-suite/difference.ts'
import { RUN, Stuck, textOf } from '../kind-suite/life.ts'
import type { KindSubject } from '../kind-suite/subject.ts'
import type { Watch } from '../kind-suite/watch.ts'
import { deadlines, essence } from './essence.ts'

/** An undisturbed run. */
export interface Undisturbed {
  readonly essence: Json
  readonly deadlines: readonly string[]
}

/** What is looked at once a run has ended. */
export interface Ended {
  readonly subject: KindSubject
  /** Knows the programs, and reads the store. */
  readonly runtime: Runtime
  readonly store: Store
  readonly watch: Watch
  /** Absent for the undisturbed run itself. */
  readonly expected: Undisturbed | undefined
  /** The state in the process that ended the run, if it still has it. */
  readonly live?: State | undefined
  /** Time did not pass as in the undisturbed run, so that other deadlines may have been missed. */
  readonly timeWarp: boolean
}

/** Looks at everything that a run has left, and answers with its records. What is wrong is in the watch. */
export async function audit(ended: Ended): Promise<{ readonly records: readonly Rec[]; readonly undisturbed: Undisturbed }> {
  const { subject, runtime, watch } = ended
  const { records, state, row } = await runtime.history(RUN)
  const folded = new State()
  for (const record of records) folded.apply(record)
  const text = textOf(folded, subject)
  if (textOf(state, subject) !== text) watch.found('differs', 'the state in the store is not the fold of its journal')
  if (ended.live !== undefined && ended.live.n === folded.n && textOf(ended.live, subject) !== text)
    watch.found('differs', 'the live state is not the fold of the journal')
  if (row.status !== (folded.ended?.status === 'done' ? 'completed' : folded.ended?.status))
    watch.found('differs', `the row says ${row.status}, and the journal ${folded.ended?.status ?? 'that the run goes on'}`)
  const { difference } = replay(records, runtime.programs)
  if (difference !== undefined) watch.found('differs', replayText(difference))
  const undisturbed = { essence: essence(folded, subject), deadlines: deadlines(records) }
  compare(ended, undisturbed)
  auditEffects(records, watch)
  auditTold(records, watch)
  await auditMessages(ended, records)
  return { records, undisturbed }
}

function compare({ expected, watch, timeWarp }: Ended, found: Undisturbed): void {
  if (expected === undefined || equalJson(found.essence, expected.essence)) return
  if (timeWarp && !equalJson([...found.deadlines], [...expected.deadlines])) return
  const [is, should] = [JSON.stringify(found.essence), JSON.stringify(expected.essence)]
  watch.found('differs', `the end differs${placeOf(found.essence, expected.essence)}:\n  is        ${is}\n  should be ${should}`)
}

/** A result in the journal is one that the world has given. */
function auditEffects(records: readonly Rec[], watch: Watch): void {
  for (const { input } of records)
    if (input?.[0] === 'ok' && !watch.performed(input[1])) watch.found('lost', `effect ${input[1]} has settled and was never performed`)
}

/** What somebody was told to be on record, and what subscribers have seen, is there. */
function auditTold(records: readonly Rec[], watch: Watch): void {
  for (const [n, what] of watch.heard) {
    const { input } = records[n - 1] ?? {}
    if (input?.[0] !== 'answer' || `answer ${input[1]}` !== what)
      watch.found('lost', `${what} was acknowledged as record ${n}, and is not there`)
  }
  for (const [n, record] of watch.published) {
    const found = records[n - 1]
    if (found === undefined || recordText(found) !== recordText(record))
      watch.found('lost', `record ${n} was shown to a subscriber as durable, and is not there`)
  }
}

/** The value of a return or an end stands in the queue of the state, and not in the stored record. */
function recordText(record: Rec): string {
  const { input } = record
  return JSON.stringify(input?.[0] === 'ret' || input?.[0] === 'end' ? { ...record, input: input.slice(0, 3) } : record)
}

/** Each message is taken once, or still waits. */
async function auditMessages({ store, watch }: Ended, records: readonly Rec[]): Promise<void> {
  const waiting = new Set((await store.inbox(RUN)).map(({ id }) => id))
  const taken = records.flatMap(({ input }) => (input?.[0] === 'message' ? [input[3]] : []))
  for (const id of watch.told) {
    const times = taken.filter((one) => one === id).length
    if (times === 0 && !waiting.has(id)) watch.found('lost', `message ${id} was accepted, and is neither taken nor waiting`)
    if (times > 1 || (times === 1 && waiting.has(id))) watch.found('repeated', `message ${id} was taken ${times} times, or still waits`)
  }
}

/** Once a process is over, a run that lists call running is due for others, and one that is suspended has nothing to do by itself. */
export async function auditOwner(store: Store, runtime: Runtime, watch: Watch, now: number): Promise<void> {
  const [row] = await store.runs({ prefix: RUN })
  if (row === undefined || row.last === 0) return
  if (row.status === 'running') {
    const due = await store.due(now)
    if (!due.includes(RUN)) watch.found('unowned', `after record ${row.last} the run is called running, and is due for nobody`)
  }
  if (row.status !== 'suspended') return
  const { state } = await runtime.peek(RUN)
  if (state.queue.peek() !== undefined || [...state.flights()].some(({ doubted }) => !doubted))
    watch.found('unowned', `after record ${row.last} the run is called suspended, and has something to do`)
}

/** What a failure of a life means. Answers with its code, if it is one that may come. */
export function judge(thrown: unknown, watch: Watch): string | undefined {
  if (isFault(thrown) && thrown.verdict !== 'bug') return thrown.code
  if (thrown instanceof Stuck) watch.found('stuck', thrown.message)
  else watch.found('untyped', thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))
  return undefined
}
