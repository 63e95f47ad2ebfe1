import { copyJson } from '../kernel/journal/json.ts'
import type { Port } from '../kernel/ports/port.ts'
import type { Rec } from '../kernel/journal/record.ts'
import { replay } from '../kernel/run/replay.ts'
import type { Run } from '../kernel/run/run.ts'
import { loadState, type StoredState } from '../kernel/state/snapshot.ts'
import { State } from '../kernel/state/state.ts'
import type { Store } from '../kernel/ports/store.ts'
import { memoryStore } from '../store/memory.ts'
import { replayText } from './kind-suite/difference.ts'
import { Mortal } from './kind-suite/fate.ts'
import { forkEverywhere } from './kind-suite/forks.ts'
import { calledByAnother, callsAnother, GUEST_WORD } from './kind-suite/guests.ts'
import { storeAfter } from './kind-suite/histories.ts'
import { fine, inputName, Life, outcomeOf, RUN, same, textOf } from './kind-suite/life.ts'
import type { KindSubject, Outcome } from './kind-suite/subject.ts'
import { Watch } from './kind-suite/watch.ts'

export type { KindSubject, Outcome, Script, SubjectProgram } from './kind-suite/subject.ts'

/** One promise of the kernel that a kind keeps. `run` resolves if it does, else it rejects and says what differs. */
export interface KindCase {
  readonly name: string
  readonly run: () => Promise<void>
}

/** How many times each case that dies may see the process die. */
const DEATHS = 3

/**
 * Every promise that a kind of program must keep on the kernel, as cases for any test runner:
 *
 *     for (const it of kindSuite(subject)) test(it.name, it.run)
 *
 * The subject's run is played on a memory store and a still clock: undisturbed; closed and opened again at every
 * rest; resumed from each of its records; with the process dying at every commit and at every performance, before
 * and after, up to three times; cancelled at every rest; forked at each of its records; called by a program of another kind and calling one.
 * However it is disturbed, it must end the same.
 */
export function kindSuite(subject: KindSubject): readonly KindCase[] {
  const calling = callsAnother(subject)
  const named = (name: string, run: () => Promise<void>): KindCase => ({ name: `${subject.name}: ${name}`, run })
  return [
    named('runs to its end', async () => void (await undisturbed(subject))),
    named('has one state, folded, live and replayed, and from a snapshot of every record', () => oneState(subject)),
    named('shows every record once, in order, and each is JSON', () => everyRecordOnce(subject)),
    named('is the same when closed and opened again at every rest', () => reopened(subject)),
    named('goes on from every record', () => fromEveryRecord(subject)),
    named('survives a death at every commit and performance', () => deaths(subject, 1)),
    named('survives three deaths', () => deaths(subject, DEATHS)),
    named('is not moved by progress that it did not ask for', () => unmoved(subject)),
    named('can be cancelled at every rest', () => cancelled(subject)),
    named('can be forked at every record', () => forked(subject)),
    named('can be called by another kind', () => deaths(calledByAnother(subject), 1)),
    ...(calling === undefined ? [] : [named('can call another kind', () => callsGuest(calling))]),
  ]
}

interface Reference {
  readonly life: Life
  /** The moments at which its process might have died. */
  readonly events: number
  readonly store: Store
  readonly run: Run
  readonly outcome: Outcome
  readonly records: readonly Rec[]
  readonly state: State
}

async function undisturbed(subject: KindSubject): Promise<Reference> {
  const store = memoryStore()
  const watch = new Watch()
  const fate = new Mortal()
  const life = new Life(subject, store, watch, { fate })
  const run = await begun(life)
  const outcome = await life.play(run)
  if (outcome === undefined) throw new Error('the run was lost')
  fine(watch)
  const { records, state } = await life.runtime.history(RUN)
  return { life, events: fate.events, store, run, outcome, records, state }
}

async function begun(life: Life, prepare?: (run: Run) => void): Promise<Run> {
  const run = await life.begin(prepare)
  if (run === undefined) throw new Error('the run was lost')
  return run
}

async function oneState(subject: KindSubject): Promise<void> {
  const { life, run, records, state } = await undisturbed(subject)
  const folded = textOf(state, subject)
  same('the live state', JSON.parse(textOf(run.state, subject)), JSON.parse(folded))
  const again = replay(records, life.runtime.programs)
  if (again.difference !== undefined) {
    throw new Error(replayText(again.difference))
  }
  same('the replayed state', JSON.parse(textOf(again.state, subject)), JSON.parse(folded))
  for (let n = 1; n <= records.length; n++) {
    const part = fold(records.slice(0, n))
    const loaded = loadState(JSON.parse(textOf(part, subject)) as StoredState)
    same(`the state loaded from a snapshot of record ${n}`, JSON.parse(textOf(loaded, subject)), JSON.parse(textOf(part, subject)))
    same(
      `the state at record ${n} as the store has it`,
      JSON.parse(textOf((await life.runtime.peek(RUN, n)).state, subject)),
      JSON.parse(textOf(part, subject)),
    )
    for (const record of records.slice(n)) loaded.apply(record)
    same(`the state at the end, from a snapshot of record ${n}`, JSON.parse(textOf(loaded, subject)), JSON.parse(folded))
  }
}

function fold(records: readonly Rec[]): State {
  const state = new State()
  for (const record of records) state.apply(record)
  return state
}

async function everyRecordOnce(subject: KindSubject): Promise<void> {
  const life = new Life(subject, memoryStore(), new Watch())
  const observed: number[] = []
  const durable: number[] = []
  const wrong: string[] = []
  const run = await begun(life, (made) => {
    made.observe(({ n, record }) => {
      observed.push(n)
      wrong.push(...notJson(n, record))
    })
    made.subscribe((_, n) => durable.push(n))
  })
  await life.play(run)
  const all = Array.from({ length: run.state.n }, (_, i) => i + 1)
  same('what is not JSON in the records', wrong, [])
  same('the records that an observer saw', observed, all)
  same('the records that a subscriber saw', durable, all)
}

/** What of a record a fold would not get back as it was. */
function notJson(n: number, record: Rec): string[] {
  const parts = Object.entries(record).filter(([, part]) => part !== undefined)
  return parts.flatMap(([name, part]) => {
    try {
      copyJson(part, `record ${n}, ${name}`)
      return []
    } catch (thrown) {
      return [thrown instanceof Error ? thrown.message : String(thrown)]
    }
  })
}

async function reopened(subject: KindSubject): Promise<void> {
  const { outcome } = await undisturbed(subject)
  const store = memoryStore()
  const watch = new Watch()
  for (let number = 1; number < 1_000; number++) {
    const life = new Life(subject, store, watch, { number })
    const before = number === 1 ? undefined : (await life.runtime.peek(RUN)).state
    const run = await begun(life)
    await life.rest(run)
    if (before !== undefined && run.state.n === before.n)
      same('the state of a resumed run', textOf(run.state, subject), textOf(before, subject))
    if (run.state.ended !== undefined) {
      same('the end', outcomeOf(run.state), outcome)
      return fine(watch)
    }
    if (!(await life.tell(run))) throw new Error('the script has nothing to tell')
    if (run.state.ended === undefined) await life.rest(run)
    const ended = run.state.ended === undefined ? undefined : outcomeOf(run.state)
    await life.runtime.close()
    if (ended !== undefined) {
      same('the end', ended, outcome)
      return fine(watch)
    }
  }
  throw new Error('the run does not end')
}

async function fromEveryRecord(subject: KindSubject): Promise<void> {
  const { life: first, store: whole, outcome, records } = await undisturbed(subject)
  const original = { runtime: first.runtime, store: whole, ledgers: first.watch.ledgers }
  for (let n = 1; n < records.length; n++) {
    const kept = records.slice(0, n)
    const watch = new Watch()
    const store = await storeAfter(kept, fold(kept), original, subject, watch)
    const life = new Life(subject, store, watch, { number: 2 })
    const end = await life.live()
    same(`the end of the run resumed after record ${n} (${inputName(records[n - 1])})`, end, outcome)
    await agree(life)
    fine(watch)
  }
}

/** What a disturbed run has left is a journal like any other: its replay is exact. */
async function agree(life: Life): Promise<void> {
  const { records } = await life.runtime.history(RUN)
  const { difference } = replay(records, life.runtime.programs)
  if (difference !== undefined) throw new Error(replayText(difference))
}

async function forked(subject: KindSubject): Promise<void> {
  const { life, store, outcome, records } = await undisturbed(subject)
  await forkEverywhere(subject, { runtime: life.runtime, store, ledgers: life.watch.ledgers, outcome, records }, fold)
}

/** The process dies at each of its events in turn, and each next life at one of its first. */
async function deaths(subject: KindSubject, times: number): Promise<void> {
  const { events, outcome } = await undisturbed(subject)
  for (let at = 1; at <= events; at++) {
    const store = memoryStore()
    const watch = new Watch()
    let end: Outcome | undefined
    for (let number = 1; end === undefined; number++) {
      const dieAt = number === 1 ? at : number <= times ? 1 + ((at + number) % 4) : undefined
      const life = new Life(subject, store, watch, { number, fate: new Mortal(dieAt) })
      end = await life.live()
      if (end !== undefined) await agree(life)
    }
    fine(watch)
    same(`the end of the run whose process died at event ${at} of ${events}`, end, outcome)
  }
}

/**
 * An input that a kind does not know it ignores. Progress is a record, so that keys are others and the world may answer otherwise:
 * what is the same is how it ends, what it takes in and what it asks for.
 */
async function unmoved(subject: KindSubject): Promise<void> {
  const { outcome, records } = await undisturbed(subject)
  const showing = (port: Port): Port => ({
    ...port,
    perform(call) {
      call.part({ progress: 1 })
      return port.perform(call)
    },
  })
  const life = new Life(subject, memoryStore(), new Watch(), { spoil: { port: showing } })
  const end = await life.play(await begun(life))
  if (end?.status !== outcome.status) same('the end of the run whose effects show progress', end, outcome)
  const moved = await life.runtime.history(RUN)
  same('what a run takes in and asks for whose effects show progress', traffic(moved.records), traffic(records))
  fine(life.watch)
}

/** What a run takes in, progress left aside, and asks for. */
function traffic(records: readonly Rec[]): readonly string[] {
  return records
    .flatMap((record) => [
      ...(record.input?.[0] === 'part' ? [] : [inputName(record)]),
      ...(record.requests ?? []).map(([port]) => `asks ${port}`),
    ])
    .sort()
}

async function cancelled(subject: KindSubject): Promise<void> {
  for (let rests = 1; rests < 1_000; rests++) {
    const watch = new Watch()
    const life = new Life(subject, memoryStore(), watch)
    const run = await begun(life)
    for (let rest = 1; rest < rests; rest++) if ((await life.rest(run)) && run.state.ended === undefined) await life.tell(run)
    await life.rest(run)
    if (run.state.ended !== undefined) return
    await run.cancel('enough')
    const end = await life.play(run)
    const { state } = run
    same(
      `what is left after a cancellation at rest ${rests}`,
      [end?.status, state.frames.size, state.waits.size, [...state.flights()].length],
      ['cancelled', 1, 0, 0],
    )
    await agree(life)
    fine(watch)
  }
}

async function callsGuest(subject: KindSubject): Promise<void> {
  const { outcome, state } = await undisturbed(subject)
  const [first] = subject.programs
  const pins = state.start?.pins.map(([name]) => name) ?? []
  if (pins.length < 2)
    throw new Error(`\`refs\` does not name what ${first?.id} calls: only ${pins.join(', ')} is pinned when the run starts`)
  if (!JSON.stringify(outcome).includes(GUEST_WORD)) throw new Error(`nothing of what the guest said is left: ${JSON.stringify(outcome)}`)
  await deaths(subject, 1)
  await fromEveryRecord(subject)
}
