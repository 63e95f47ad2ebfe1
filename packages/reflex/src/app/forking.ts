import {
  decidableRecords,
  nothingToDecide,
  sourceDecision,
  type ForkDecision,
  type DecisionInput,
  decisionInput,
} from '../runs/fork-decision.ts'
import { type ForkPreview, previewFork } from '../runs/fork-preview.ts'
import {
  type Fault,
  faults as kernelFaults,
  type ForkResult,
  type ForkSource,
  isFault,
  type JsonObject,
  type Runtime,
  type State,
  type Store,
} from '../kernel/index.ts'
import type { ProgramViewer, ViewedPrograms } from '../programs/kinds.ts'
import type { WrittenLabels } from '../policy/written-labels.ts'
import { readTrust, type RunSettings, type Trust } from '../policy/index.ts'

/** The options of a fork. */
export interface ForkRunOptions {
  /** Values written to the root board, as if the program had written them. */
  readonly set?: JsonObject
  /** The edge for the decision in flight, or the answer to the open question; `PLACE=EDGE` if there are several. */
  readonly decide?: string
  /** The name of the fork. Default: a random name. Throws `R5007` if it is taken. */
  readonly id?: string
  /** The trust of the fork. Default: that of its source. Effects that were refused in the source are judged again. */
  readonly trust?: Trust
  /** True: the fork is simulated and never becomes real. A fork of a simulated run is always simulated. */
  readonly simulate?: boolean
}

/** A new fork. It performs nothing until it is resumed. */
export interface ForkedRun {
  readonly id: string
  readonly from: { readonly run: string; readonly record: number }
  /** The number of records: the shared ones and its own. */
  readonly records: number
  /** The number of effects that had settled in the source; their results stay. Only those after `settledAfter`, if it is present. */
  readonly settled: number
  /** The record that sealed the source last before the fork. The results before it stay too, and are not counted. Absent: all are counted. */
  readonly settledAfter?: number
  readonly set: JsonObject
  /** The trust of the fork, and that of its source if it differs. */
  readonly trust: Trust
  readonly trustBefore?: Trust
  /** True if nothing leaves this machine. */
  readonly simulated: boolean
  readonly decided?: ForkDecision
  readonly next: ForkPreview
}

/** The parts of the front object that forking needs. */
export interface ForkingWorld extends ProgramViewer {
  readonly runtime: Runtime<RunSettings>
  readonly store: Store
  readonly actor: string
  readonly labels: WrittenLabels
}

/**
 * Forks a stored run with the settings of its start and the given overrides. Throws the faults of `Runtime.fork`, `R2063` and
 * `R2064`, and `R3013` for an unknown trust level.
 */
export async function forkStored(
  world: ForkingWorld,
  source: string,
  at: number | undefined,
  { set, decide, id, trust, simulate }: ForkRunOptions,
): Promise<ForkedRun> {
  const { runtime, store, actor, labels } = world
  if (decide !== undefined && typeof decide !== 'string') throw notText(decide)
  const overrides = {
    actor,
    ...(trust === undefined ? {} : { trust: checkTrust(trust) }),
    ...(simulate === true ? { simulated: true } : {}),
  }
  const pinned = (one: State): ViewedPrograms => world.programsOf(one)
  let settling: DecisionInput | undefined
  let refused: { readonly fault: Fault; readonly source: ForkSource } | undefined
  const decideFork = (word: string) => (standing: ForkSource) => {
    const found = decisionInput({ ...standing, definitions: pinned(standing.state) }, word)
    if (isFault(found)) {
      refused = { fault: found, source: standing }
      return found
    }
    settling = found
    return [found.frame, found.input] as const
  }
  await labels.refresh()
  const forked = await runtime
    .fork(source, {
      actor,
      settings: overrides,
      ...(at === undefined ? {} : { at }),
      ...(id === undefined ? {} : { id }),
      ...(set === undefined ? {} : { set }),
      ...(decide === undefined ? {} : { decide: decideFork(decide) }),
    })
    .catch(async (thrown: unknown) => {
      if (decide === undefined || refused === undefined || thrown !== refused.fault) throw thrown
      throw nothingToDecide(refused.source, decide, await decidableRecords(store, refused.source, pinned))
    })
  await labels.fork(forked.id, source)
  const { settings, sourceSettings } = forked
  const was = settling && (await sourceDecision(store, { run: source, record: forked.from[1] }, settling, pinned))
  return {
    ...forkFacts(forked),
    set: set ?? {},
    ...(settings.trust === sourceSettings.trust ? {} : { trustBefore: sourceSettings.trust }),
    ...(settling === undefined ? {} : { decided: { place: settling.place, chose: settling.chose, ...(was === undefined ? {} : { was }) } }),
    next: previewFork({ state: forked.state, definitions: pinned(forked.state) }, settling?.input[0] === 'answer' ? settling : undefined),
  }
}

function forkFacts({
  id,
  from: [run, record],
  state,
  settled,
  settledAfter,
  settings: { trust, simulated },
}: ForkResult<RunSettings>): Pick<ForkedRun, 'id' | 'from' | 'records' | 'settled' | 'settledAfter' | 'trust' | 'simulated'> {
  const counted = settledAfter === 0 ? { settled } : { settled, settledAfter }
  return { id, from: { run, record }, records: state.n, ...counted, trust, simulated }
}

function checkTrust(trust: unknown): Trust {
  return readTrust(typeof trust === 'string' ? trust : JSON.stringify(trust), 'trust')
}

function notText(decide: unknown): Fault {
  return kernelFaults.make('R2064', `decide is ${JSON.stringify(decide)}, and no word`, {
    path: 'decide',
    fix: 'write the way or the answer as text',
  })
}
