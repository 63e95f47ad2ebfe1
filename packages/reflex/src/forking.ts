import type { Surroundings } from './host.ts'
import { type ForkNext, nextOf } from './forking-next.ts'
import { type AskedKeeps, believed, keepsOf, keptByFork, proved } from './keeps.ts'
import { answerTo, questionsOf } from './handle.ts'
import {
  copyJson,
  type Fault,
  faults as kernelFaults,
  type ForkStanding,
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
import { readTrust, type Trust } from './policy/index.ts'

/** How a run is forked. */
export interface ForkRunOptions {
  /** Written to the board of the root, as if the program had. */
  readonly set?: JsonObject
  /** The way that the decision in flight takes, or the answer to the question that is open; `PLACE=WAY` where there are several. */
  readonly decide?: string
  /** The fork's name; drawn if absent. `R5007` if it is taken. */
  readonly id?: string
  /** How far it is trusted; as far as its source if absent. What its source was refused is judged anew. */
  readonly trust?: Trust
  /** Nothing of it leaves this machine, for good: as a run that was started so. A fork of a simulated run is simulated in any case. */
  readonly simulate?: boolean
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
  /** How far it is trusted, and how far its source was where that is something else. */
  readonly trust: Trust
  readonly trustBefore?: Trust
  /** Nothing leaves this machine. */
  readonly simulated: boolean
  readonly decided?: ForkDecision
  readonly next: ForkNext
}

/** What forking needs of the front object. */
export interface ForkingWorld {
  readonly runtime: Runtime
  readonly surroundings: Surroundings
  readonly actor: string
  readonly asked: AskedKeeps
}

/**
 * Forks a stored run, under what it was started with and what is said anew. Throws what `Runtime.fork` throws, `R2063` and
 * `R2064`, and `R3013` for a level of trust that there is not.
 */
export async function forkStored(
  { runtime, surroundings, actor, asked }: ForkingWorld,
  source: string,
  at: number | undefined,
  { set, decide, id, trust, simulate }: ForkRunOptions,
): Promise<ForkedRun> {
  if (decide !== undefined && typeof decide !== 'string') throw noWord(decide)
  const said = {
    actor,
    ...(trust === undefined ? {} : { trust: saidTrust(trust) }),
    ...(simulate === true ? { simulate } : {}),
  }
  const { state } = await runtime.peek(source, 1)
  const kept = keepsOf(state, surroundings)
  const program = state.start?.pins[0]?.[3] ?? ''
  const records = decide === undefined ? [] : await runtime.journal(source)
  const pinned = (one: State): RunPrograms => new RunPrograms(runtime.programs, one)
  let settling: Settling | undefined
  const decided = (word: string) => (standing: ForkStanding) => {
    const found = settlingOf(standing, word, () => decidable(records, standing.record, pinned))
    if (isFault(found)) return found
    settling = found
    return [found.frame, found.input] as const
  }
  let keeps = kept
  const forked = await asked.during(source, kept, (also) =>
    runtime.fork(source, {
      actor,
      by(fork) {
        const made = proved(keptByFork(kept, said), { run: fork.id, trace: fork.trace, program }, surroundings)
        // What its frames are told is what counts for whoever resumes it.
        keeps = believed(made)
        also(fork.id, keeps)
        return copyJson(made, 'by')
      },
      ...(at === undefined ? {} : { at }),
      ...(id === undefined ? {} : { id }),
      ...(set === undefined ? {} : { set }),
      ...(decide === undefined ? {} : { decide: decided(decide) }),
    }),
  )
  const [run, record] = forked.from
  const was = settling && decidedBefore(settling, records, record, () => linesOfHistory({ records }, pinned))
  return {
    id: forked.id,
    from: { run, record },
    records: forked.state.n,
    settled: forked.settled,
    set: set ?? {},
    trust: keeps.trust,
    ...(keeps.trust === kept.trust ? {} : { trustBefore: kept.trust }),
    simulated: keeps.simulate === true,
    ...(settling === undefined ? {} : { decided: { place: settling.place, chose: settling.chose, ...(was === undefined ? {} : { was }) } }),
    next: nextOf(forked, settling?.input[0] === 'answer' ? settling : undefined),
  }
}

function saidTrust(trust: unknown): Trust {
  return readTrust(typeof trust === 'string' ? trust : JSON.stringify(trust), 'trust')
}

function noWord(decide: unknown): Fault {
  return kernelFaults.make('R2064', `decide is ${JSON.stringify(decide)}, and no word`, {
    path: 'decide',
    fix: 'write the way or the answer as text',
  })
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
 * Finds what a word decides where a run stands: a decision in flight, else an open question. Gives `R2063` if there is none;
 * throws it if it is not clear which, and `R2064`, `R4200` and `R4201` for a word that it does not allow.
 */
function settlingOf(standing: ForkStanding, word: string, nearest: () => readonly number[]): Settling | Fault {
  const asked = [...decisionsOf(standing), ...openOf(standing)]
  const named = asked.flatMap(({ names, settle }) => names.filter((name) => word.startsWith(`${name}=`)).map((name) => ({ name, settle })))
  const [only] = named
  const places = asked.map(({ place }) => place).join(', ')
  if (only !== undefined && named.length === 1) return only.settle(word.slice(only.name.length + 1))
  const { run, record: at } = standing
  if (asked.length === 0) {
    const near = nearest()
    return kernelFaults.make('R2063', `nothing is to be decided after record ${at} of ${run}`, {
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
  /** Where it stands: the path of a frame on the stack. */
  readonly place: string
  /** What it is called: so, behind the name of the run's program, or as its own program calls it in messages. */
  readonly names: readonly string[]
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
    return [{ place, names: namesOf(frame, place, definitions), settle }]
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
    return [{ place: open.path, names: namesOf(frame, open.path, definitions), settle }]
  })
}

function namesOf(frame: Frame, place: string, definitions: ForkStanding['definitions']): readonly string[] {
  const { def, kind, name } = definitions.program(frame.pin)
  const root = definitions.program(0)
  const within = definitions.kind(kind).where?.(def, frame.position) ?? ''
  return [...new Set([place, `${idOf(root)}/${place}`, `${idOf({ kind, name })}/${within}`])]
}

function idOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return name.slice(kind.length + 1)
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
