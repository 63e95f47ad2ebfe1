import { decidable, decidedBefore, type ForkDecision, type Settling, settlingOf } from '../runs/forking-decision.ts'
import { type ForkNext, nextOf } from '../runs/forking-next.ts'
import type { Surroundings } from './host.ts'
import { type AskedKeeps, believed, type Keeps, keepsOf, keptByFork, proved } from './keeps.ts'
import {
  copyJson,
  type Fault,
  faults as kernelFaults,
  type Forked,
  type ForkStanding,
  isFault,
  type JsonObject,
  RunPrograms,
  type Runtime,
  type State,
} from '../kernel/index.ts'
import type { WrittenLabels } from '../kinds/pipeline/operations/memory/written.ts'
import { readTrust, type Trust } from '../policy/index.ts'

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
  readonly labels: WrittenLabels
}

/**
 * Forks a stored run, under what it was started with and what is said anew. Throws what `Runtime.fork` throws, `R2063` and
 * `R2064`, and `R3013` for a level of trust that there is not.
 */
export async function forkStored(
  { runtime, surroundings, actor, asked, labels }: ForkingWorld,
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
  await labels.refresh()
  const forked = await asked.during(source, kept, (also) =>
    runtime.fork(source, {
      actor,
      by(fork) {
        const made = proved(keptByFork(kept, said), { run: fork.id, trace: fork.trace, program }, surroundings)
        // What its frames are told is what counts for whoever resumes it.
        keeps = believed(made)
        also(fork.id, keeps)
        labels.expectFork(fork.id, source)
        return copyJson(made, 'by')
      },
      ...(at === undefined ? {} : { at }),
      ...(id === undefined ? {} : { id }),
      ...(set === undefined ? {} : { set }),
      ...(decide === undefined ? {} : { decide: decided(decide) }),
    }),
  )
  await labels.fork(forked.id, source)
  const was = settling && decidedBefore(settling, records, forked.from[1], pinned)
  return {
    ...madeOf(forked, keeps),
    set: set ?? {},
    ...(keeps.trust === kept.trust ? {} : { trustBefore: kept.trust }),
    ...(settling === undefined ? {} : { decided: { place: settling.place, chose: settling.chose, ...(was === undefined ? {} : { was }) } }),
    next: nextOf(forked, settling?.input[0] === 'answer' ? settling : undefined),
  }
}

function madeOf(
  { id, from: [run, record], state, settled }: Forked,
  { trust, simulate }: Keeps,
): Pick<ForkedRun, 'id' | 'from' | 'records' | 'settled' | 'trust' | 'simulated'> {
  return { id, from: { run, record }, records: state.n, settled, trust, simulated: simulate === true }
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
