import type { Surroundings } from './host.ts'
import { type ForkNext, nextOf } from './forking-next.ts'
import { type Keeps, keepsOf, keptByFork, proved } from './keeps.ts'
import { answerTo, questionsOf } from './handle.ts'
import {
  copyJson,
  faults as kernelFaults,
  type ForkStanding,
  type Forked,
  type Frame,
  framePath,
  type Input,
  isFault,
  type JsonObject,
  type Rec,
  type Ref,
  RunPrograms,
  type Runtime,
  State,
  summary,
} from './kernel/index.ts'
import { edgeOf } from './history/words.ts'
import { linesOfHistory, type StoryLine } from './history/trace.ts'

/** How a run is forked. */
export interface ForkRunOptions {
  /** Written to the board of the root, as if the program had. */
  readonly set?: JsonObject
  /** The way that the decision in flight takes, or the answer to the question that is open; `PLACE=WAY` where there are several. */
  readonly decide?: string
  /** The fork's name; drawn if absent. `R5007` if it is taken. */
  readonly id?: string
}

/** What was decided for a fork, and by whom it was decided in its source. */
export interface ForkDecision {
  readonly place: string
  readonly chose: string
  /** Absent where the source had not come so far. */
  readonly was?: { readonly chose: string; readonly by?: string }
}

/** A fork that was made. It performs nothing until it is resumed. */
export interface ForkedRun {
  readonly id: string
  readonly from: { readonly run: string; readonly record: number }
  /** Records in all: those that it shares, then its own. */
  readonly records: number
  /** Effects that had settled in the source, and stay so. */
  readonly settled: number
  readonly set: JsonObject
  readonly decided?: ForkDecision
  readonly next: ForkNext
}

/** What forking needs of the front object. */
export interface ForkingWorld {
  readonly runtime: Runtime
  readonly surroundings: Surroundings
  readonly actor: string
  readonly asked: AskedKeeps
  readonly runFolder: (run: string) => string
}

/** What runs keep that this process may not hold, while it is asked what their effects may do. */
export class AskedKeeps {
  /** As often as a run is asked about at once. */
  readonly #asked = new Map<string, Keeps[]>()

  get(run: string): Keeps | undefined {
    return this.#asked.get(run)?.[0]
  }

  async during<Result>(run: string, keeps: Keeps, ask: () => Promise<Result>): Promise<Result> {
    const others = this.#asked.get(run) ?? []
    this.#asked.set(run, [...others, keeps])
    try {
      return await ask()
    } finally {
      const left = this.#asked.get(run)?.filter((one) => one !== keeps) ?? []
      if (left.length === 0) this.#asked.delete(run)
      else this.#asked.set(run, left)
    }
  }
}

/** Forks a stored run under what it was started with. Throws what `Runtime.fork` throws, and `R2063` and `R2064`. */
export async function forkStored(
  { runtime, surroundings, actor, asked, runFolder }: ForkingWorld,
  source: string,
  at: number | undefined,
  { set, decide, id }: ForkRunOptions,
): Promise<ForkedRun> {
  const { state } = await runtime.peek(source, 1)
  const kept = keepsOf(state, surroundings)
  const program = state.start?.pins[0]?.[3] ?? ''
  const records = decide === undefined ? [] : await runtime.journal(source)
  const pinned = (one: State): RunPrograms => new RunPrograms(runtime.programs, one)
  let settling: Settling | undefined
  const decided = (word: string) => (standing: ForkStanding) => {
    settling = settlingOf(standing, word, () => decidable(records, standing.record, pinned))
    return [settling.frame, settling.input] as const
  }
  const forking = () =>
    runtime.fork(source, {
      actor,
      by: (fork) => copyJson(proved(keptByFork(kept, actor), { run: fork.id, trace: fork.trace, program }, surroundings), 'by'),
      folder: runFolder,
      ...(at === undefined ? {} : { at }),
      ...(id === undefined ? {} : { id }),
      ...(set === undefined ? {} : { set }),
      ...(decide === undefined ? {} : { decide: decided(decide) }),
    })
  const forked = await asked.during(source, kept, forking)
  const [run, record] = forked.from
  const was = settling && decidedBefore(settling, records, record, () => linesOfHistory({ records }, pinned))
  return {
    id: forked.id,
    from: { run, record },
    records: forked.state.n,
    settled: forked.settled,
    set: set ?? {},
    ...(settling === undefined ? {} : { decided: { place: settling.place, chose: settling.chose, ...(was === undefined ? {} : { was }) } }),
    next: nextOf(forked, settling?.input[0] === 'answer' ? settling : undefined),
  }
}

/** Who decides in a fork, for its journal. */
const BY = 'the fork'

/** An input that settles something, and what it is in words. */
interface Settling {
  readonly frame: Frame
  readonly input: Input
  readonly ref: Ref
  readonly place: string
  readonly chose: string
}

/**
 * Finds what a word decides where a run stands: a decision in flight, else an open question. Throws `R2063` if there is none
 * or it is not clear which, `R2064`, `R4200` and `R4201` for a word that it does not allow.
 */
function settlingOf(standing: ForkStanding, word: string, nearest: () => readonly number[]): Settling {
  const asked = [...decisionsOf(standing), ...openOf(standing)]
  const named = asked.filter(({ place }) => word.startsWith(`${place}=`))
  const [only] = named
  const places = asked.map(({ place }) => place).join(', ')
  if (only !== undefined && named.length === 1) return only.settle(word.slice(only.place.length + 1))
  const { run, record: at } = standing
  if (asked.length === 0) {
    const near = nearest()
    throw kernelFaults.make('R2063', `nothing is to be decided after record ${at} of ${run}`, {
      run,
      ...(near.length === 0 ? {} : { fix: `something is at ${near.map((record) => `${run}@${record}`).join(' and ')}`, data: { near } }),
    })
  }
  const found = asked.flatMap(({ settle }): Settling[] => {
    try {
      return [settle(word)]
    } catch (thrown) {
      if (asked.length === 1 || !isFault(thrown)) throw thrown
      return []
    }
  })
  const [settling] = found
  if (settling !== undefined && found.length === 1) return settling
  throw kernelFaults.make('R2063', `${asked.length} things are to be decided after record ${at} of ${run}: ${places}`, {
    run,
    fix: `name one of them: --decide PLACE=WAY, as in ${asked[0]?.place ?? ''}=${word}`,
  })
}

interface Open {
  readonly place: string
  readonly settle: (word: string) => Settling
}

/** Effects in flight whose kind says that they decide something. */
function decisionsOf({ state, definitions }: ForkStanding): Open[] {
  return [...state.flights()].flatMap((flight): Open[] => {
    const { frame, id } = flight
    const { kind, def } = definitions.program(frame.pin)
    const decider = definitions.kind(kind)
    if (decider.decideAs === undefined || flight.doubted) return []
    const place = framePath(frame, definitions)
    const settle = (word: string): Settling => {
      const made = decider.decideAs?.(def, flight, word, BY)
      if (made === undefined) throw kernelFaults.make('R2063', `${place} decides nothing`, { path: place })
      return { frame, input: ['ok', id, made.value], ref: id, place, chose: made.chose }
    }
    return [{ place, settle }]
  })
}

/** Questions of the program that are open. */
function openOf({ run, state, definitions }: ForkStanding): Open[] {
  return questionsOf(run, summary(state, definitions, 'suspended').waits).flatMap((open): Open[] => {
    const wait = [...state.waits.values()].find(({ id }) => String(id) === open.wait)
    if (wait === undefined || wait.doubts !== undefined || open.fault !== undefined) return []
    const { frame, id } = wait
    const settle = (word: string): Settling => {
      const value = answerTo(open, word)
      const chose = typeof value === 'string' ? value : JSON.stringify(value)
      return { frame, input: ['answer', id, value, BY], ref: id, place: open.path, chose }
    }
    return [{ place: open.path, settle }]
  })
}

/** The nearest records before and after one at which something is to be decided. */
function decidable(records: readonly Rec[], at: number, definitionsOf: (state: State) => ForkStanding['definitions']): number[] {
  const state = new State()
  const definitions = definitionsOf(state)
  let before: number | undefined
  for (const record of records) {
    state.apply(record)
    if (state.ended !== undefined) break
    const standing = { run: '', record: state.n, state, definitions }
    if (state.n === at || (decisionsOf(standing).length === 0 && openOf(standing).length === 0)) continue
    if (state.n > at) return [...(before === undefined ? [] : [before]), state.n]
    before = state.n
  }
  return before === undefined ? [] : [before]
}

/** What the source decided in the place of a fork, as its trace tells it. */
export function decidedBefore(
  { ref }: Settling,
  records: readonly Rec[],
  at: number,
  lines: () => readonly StoryLine[],
): ForkDecision['was'] {
  const found = records.findIndex(({ input }, i) => i >= at && (input?.[0] === 'ok' || input?.[0] === 'answer') && input[1] === ref)
  if (found < 0) return undefined
  const line = lines().find(({ n, event }) => n === found + 1 && ['decide', 'done', 'answer'].includes(event.mark))
  if (line === undefined) return undefined
  const { facts = {}, text = '' } = line.event
  const chose = edgeOf(line.event) ?? text
  return { chose, ...(typeof facts.by === 'string' ? { by: facts.by } : {}) }
}
