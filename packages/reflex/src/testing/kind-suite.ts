import {
  copyJson,
  type Port,
  type Rec,
  replay,
  type Run,
  loadState,
  type StoredState,
  State,
  type Store,
  thrownMessage,
} from '../kernel/index.ts'
import { replayText } from './kind-suite/difference.ts'
import { CrashControl } from './kind-suite/process-control.ts'
import { forkEverywhere } from './kind-suite/forks.ts'
import { segmentErrors } from './kind-suite/segments.ts'
import { isSealed, withShortSegments } from './kind-suite/short-segments.ts'
import { calledByAnother, callingAnother, GUEST_WORD } from './kind-suite/guest-kinds.ts'
import { storeAfter } from './kind-suite/partial-store.ts'
import { requireNoViolations, inputName, ProcessLife, outcomeOf, RUN, requireEqual, textOf } from './kind-suite/process-life.ts'
import { type KindSubject, newStore, type Outcome } from './kind-suite/subject.ts'
import { Watch } from './kind-suite/watch.ts'

export type { KindSubject, Outcome, Script, SubjectProgram } from './kind-suite/subject.ts'

/** One promise that a kind keeps to the kernel. `run` resolves if the kind keeps it; otherwise it rejects and says what differs. */
export interface KindCase {
  readonly name: string
  readonly run: () => Promise<void>
}

/** The number of crashes in the case with several crashes. */
const MOST_CRASHES = 3

/**
 * Returns the promises that every kind of program must keep to the kernel, as cases for any test runner:
 *
 *     for (const it of kindSuite(subject)) test(it.name, it.run)
 *
 * Each case plays the run of the subject on a still clock and on a store in memory, or on the store of the subject: undisturbed; closed and opened again at every rest;
 * resumed from each of its records; with a crash before and after every commit and every performed effect, up to three times; cancelled at
 * every rest; forked at each of its records; called by a program of another kind; and calling one. Each disturbed run must end like the
 * undisturbed one. The runs of a kind that may never end are sealed every few records, whatever size its segments have.
 */
export function kindSuite(given: KindSubject): readonly KindCase[] {
  const subject = withShortSegments(given)
  const callingSubject = callingAnother(subject)
  const named = (name: string, run: () => Promise<void>): KindCase => ({ name: `${subject.name}: ${name}`, run })
  return [
    named('runs to its end', async () => void (await playUndisturbed(subject))),
    named('has the same state folded, live, replayed and from a snapshot of every record', () => checkOneState(subject)),
    named('publishes every record once, in order, as JSON', () => checkEveryRecord(subject)),
    named('ends the same when closed and opened again at every rest', () => checkReopened(subject)),
    named('resumes from every record', () => checkEveryResume(subject)),
    named('survives a crash at every commit and performed effect', () => checkCrashes(subject, 1)),
    named('survives three crashes', () => checkCrashes(subject, MOST_CRASHES)),
    named('ignores progress that it did not request', () => checkProgress(subject)),
    named('can be cancelled at every rest', () => checkCancellation(subject)),
    named('can be forked at every record', () => checkForks(subject)),
    ...(isSealed(subject) ? [named('ends the same whatever the size of its segments', () => checkSegments(subject))] : []),
    named('can be called by another kind', () => checkCrashes(calledByAnother(subject), 1)),
    ...(callingSubject === undefined ? [] : [named('can call another kind', () => checkGuestCall(callingSubject))]),
  ]
}

interface PlayedReference {
  readonly life: ProcessLife
  /** The number of moments at which the process can crash. */
  readonly events: number
  readonly store: Store
  readonly run: Run
  readonly outcome: Outcome
  readonly records: readonly Rec[]
  readonly state: State
}

async function playUndisturbed(subject: KindSubject): Promise<PlayedReference> {
  const store = newStore(subject)
  const watch = new Watch()
  const control = new CrashControl()
  const life = new ProcessLife(subject, store, watch, { control })
  const run = await beginRun(life)
  const outcome = await life.play(run)
  if (outcome === undefined) throw new Error('the run was lost')
  requireNoViolations(watch)
  const { records, state } = await life.runtime.history(RUN)
  return { life, events: control.events, store, run, outcome, records, state }
}

async function beginRun(life: ProcessLife, prepare?: (run: Run) => void): Promise<Run> {
  const run = await life.begin(prepare)
  if (run === undefined) throw new Error('the run was lost')
  return run
}

async function checkOneState(subject: KindSubject): Promise<void> {
  const { life, run, records, state } = await playUndisturbed(subject)
  const folded = textOf(state, subject)
  requireEqual('the live state', JSON.parse(textOf(run.state, subject)), JSON.parse(folded))
  const again = replay(records, life.runtime.programs)
  if (again.difference !== undefined) {
    throw new Error(replayText(again.difference))
  }
  requireEqual('the replayed state', JSON.parse(textOf(again.state, subject)), JSON.parse(folded))
  for (let n = 1; n <= records.length; n++) {
    const part = fold(records.slice(0, n))
    const loaded = loadState(JSON.parse(textOf(part, subject)) as StoredState)
    requireEqual(`the state loaded from a snapshot of record ${n}`, JSON.parse(textOf(loaded, subject)), JSON.parse(textOf(part, subject)))
    requireEqual(
      `the state at record ${n} in the store`,
      JSON.parse(textOf((await life.runtime.peek(RUN, n)).state, subject)),
      JSON.parse(textOf(part, subject)),
    )
    for (const record of records.slice(n)) loaded.apply(record)
    requireEqual(`the state at the end, from a snapshot of record ${n}`, JSON.parse(textOf(loaded, subject)), JSON.parse(folded))
  }
}

function fold(records: readonly Rec[]): State {
  const state = new State()
  for (const record of records) state.apply(record)
  return state
}

async function checkEveryRecord(subject: KindSubject): Promise<void> {
  const life = new ProcessLife(subject, newStore(subject), new Watch())
  const observed: number[] = []
  const durable: number[] = []
  const wrong: string[] = []
  const run = await beginRun(life, (made) => {
    made.observe(({ n, record }) => {
      observed.push(n)
      wrong.push(...notJson(n, record))
    })
    made.subscribe((_, n) => durable.push(n))
  })
  await life.play(run)
  const all = Array.from({ length: run.state.n }, (_, i) => i + 1)
  requireEqual('the parts of the records that are not JSON', wrong, [])
  requireEqual('the records that an observer saw', observed, all)
  requireEqual('the records that a subscriber saw', durable, all)
}

/** Returns the parts of a record that are not JSON, so that a fold would not read them back unchanged. */
function notJson(n: number, record: Rec): string[] {
  const parts = Object.entries(record).filter(([, part]) => part !== undefined)
  return parts.flatMap(([name, part]) => {
    try {
      copyJson(part, `record ${n}, ${name}`)
      return []
    } catch (thrown) {
      return [thrownMessage(thrown)]
    }
  })
}

async function checkReopened(subject: KindSubject): Promise<void> {
  const { outcome } = await playUndisturbed(subject)
  const store = newStore(subject)
  const watch = new Watch()
  for (let number = 1; number < 1_000; number++) {
    const life = new ProcessLife(subject, store, watch, { number })
    const before = number === 1 ? undefined : (await life.runtime.peek(RUN)).state
    const run = await beginRun(life)
    await life.rest(run)
    if (before !== undefined && run.state.n === before.n)
      requireEqual('the state of a resumed run', textOf(run.state, subject), textOf(before, subject))
    if (run.state.ended !== undefined) {
      requireEqual('the end', outcomeOf(run.state), outcome)
      return requireNoViolations(watch)
    }
    if (!(await life.respond(run))) throw new Error('the script has nothing to give')
    if (run.state.ended === undefined) await life.rest(run)
    const ended = run.state.ended === undefined ? undefined : outcomeOf(run.state)
    await life.runtime.close()
    if (ended !== undefined) {
      requireEqual('the end', ended, outcome)
      return requireNoViolations(watch)
    }
  }
  throw new Error('the run does not end')
}

async function checkEveryResume(subject: KindSubject): Promise<void> {
  const { life: first, store: wholeStore, outcome, records } = await playUndisturbed(subject)
  const original = { runtime: first.runtime, store: wholeStore, ledgers: first.watch.ledgers }
  for (let n = 1; n < records.length; n++) {
    const shared = records.slice(0, n)
    const watch = new Watch()
    const store = await storeAfter(shared, fold(shared), original, subject, watch)
    const life = new ProcessLife(subject, store, watch, { number: 2 })
    const end = await life.runToEnd()
    requireEqual(`the end of the run resumed after record ${n} (${inputName(records[n - 1])})`, end, outcome)
    await requireExactReplay(life, subject)
    requireNoViolations(watch)
  }
}

/** Requires that the journal of a disturbed run replays exactly, like any other journal, and each of its segments alone. */
async function requireExactReplay(life: ProcessLife, subject: KindSubject): Promise<void> {
  const { runtime, store } = life
  const { records } = await runtime.history(RUN)
  const { difference } = replay(records, runtime.programs)
  if (difference !== undefined) throw new Error(replayText(difference))
  if (isSealed(subject)) requireEqual('the faults of its segments', await segmentErrors(runtime, store, RUN, subject), [])
}

/** Each segment must fold and replay alone, and the run must end like one that is never sealed. */
async function checkSegments(subject: KindSubject): Promise<void> {
  const { outcome } = await playUndisturbed(withShortSegments(subject, Number.MAX_SAFE_INTEGER))
  for (const size of [1, 2, 3, 5]) {
    const sized = withShortSegments(subject, size)
    const { life, store, outcome: end, records } = await playUndisturbed(sized)
    requireEqual(`the end of the run with segments of ${size} records`, end, outcome)
    requireEqual(`the faults of its segments of ${size} records`, await segmentErrors(life.runtime, store, RUN, sized), [])
    const { length } = await store.segments(RUN)
    if (size < 4 && length < 2) throw new Error(`the run has ${records.length} records and was never sealed; it must rest more often`)
  }
}

async function checkForks(subject: KindSubject): Promise<void> {
  const { life, store, outcome, records } = await playUndisturbed(subject)
  await forkEverywhere(subject, { runtime: life.runtime, store, ledgers: life.watch.ledgers, outcome, records }, fold)
}

/** Crashes the process at each of its events in turn, and each later life at one of its first events. */
async function checkCrashes(subject: KindSubject, times: number): Promise<void> {
  const { events, outcome } = await playUndisturbed(subject)
  for (let at = 1; at <= events; at++) {
    const store = newStore(subject)
    const watch = new Watch()
    let end: Outcome | undefined
    for (let number = 1; end === undefined; number++) {
      const crashAt = number === 1 ? at : number <= times ? 1 + ((at + number) % 4) : undefined
      const life = new ProcessLife(subject, store, watch, { number, control: new CrashControl(crashAt) })
      end = await life.runToEnd()
      if (end !== undefined) await requireExactReplay(life, subject)
    }
    requireNoViolations(watch)
    requireEqual(`the end of the run whose process died at event ${at} of ${events}`, end, outcome)
  }
}

/**
 * Requires that a kind ignores an input that it does not know. A progress part is a record, so keys change and the world can answer
 * differently; the end of the run, its inputs and its requests stay the same.
 */
async function checkProgress(subject: KindSubject): Promise<void> {
  const { outcome, records } = await playUndisturbed(subject)
  const withProgress = (port: Port): Port => ({
    ...port,
    perform(call) {
      call.part({ progress: 1 })
      return port.perform(call)
    },
  })
  const life = new ProcessLife(subject, newStore(subject), new Watch(), { plantedBug: { port: withProgress } })
  const end = await life.play(await beginRun(life))
  if (end?.status !== outcome.status) requireEqual('the end of the run whose effects show progress', end, outcome)
  const progressHistory = await life.runtime.history(RUN)
  requireEqual(
    'the inputs and requests of the run whose effects show progress',
    inputsAndRequests(progressHistory.records),
    inputsAndRequests(records),
  )
  requireNoViolations(life.watch)
}

/** Returns the inputs of a run and its requests, without progress, and without seals: these follow from the number of records. */
function inputsAndRequests(records: readonly Rec[]): readonly string[] {
  return records
    .flatMap((record) => [
      ...(record.input?.[0] === 'part' || isSeal(record) ? [] : [inputName(record)]),
      ...(record.requests ?? []).map(([port]) => `asks ${port}`),
    ])
    .sort()
}

function isSeal({ input }: Rec): boolean {
  return input?.[0] === 'kernel' && input[1] === 'seal'
}

async function checkCancellation(subject: KindSubject): Promise<void> {
  for (let rests = 1; rests < 1_000; rests++) {
    const watch = new Watch()
    const life = new ProcessLife(subject, newStore(subject), watch)
    const run = await beginRun(life)
    for (let rest = 1; rest < rests; rest++) if ((await life.rest(run)) && run.state.ended === undefined) await life.respond(run)
    await life.rest(run)
    if (run.state.ended !== undefined) return
    await run.cancel('enough')
    const end = await life.play(run)
    const { state } = run
    requireEqual(
      `what is left after a cancellation at rest ${rests}`,
      [end?.status, state.frames.size, state.waits.size, [...state.pendingEffects()].length],
      ['cancelled', 1, 0, 0],
    )
    await requireExactReplay(life, subject)
    requireNoViolations(watch)
  }
}

async function checkGuestCall(subject: KindSubject): Promise<void> {
  const { outcome, state } = await playUndisturbed(subject)
  const [first] = subject.programs
  const pins = state.start?.pins.map(([name]) => name) ?? []
  if (pins.length < 2) throw new Error(`\`calls\` does not name the program that ${first?.id} calls; the run pins only ${pins.join(', ')}`)
  if (!JSON.stringify(outcome).includes(GUEST_WORD))
    throw new Error(`the outcome does not contain the answer of the guest: ${JSON.stringify(outcome)}`)
  await checkCrashes(subject, 1)
  await checkEveryResume(subject)
}
