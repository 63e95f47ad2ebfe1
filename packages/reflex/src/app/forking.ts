import { decidableRecords, sourceDecision, type ForkDecision, type DecisionInput, decisionInput } from '../runs/fork-decision.ts'
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
} from '../kernel/index.ts'
import type { ProgramViewer, ViewedPrograms } from '../programs/kinds.ts'
import type { WrittenLabels } from '../policy/written-labels.ts'
import { readTrust, type RunSettings, type Trust } from '../policy/index.ts'

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
  readonly next: ForkPreview
}

/** What forking needs of the front object. */
export interface ForkingWorld extends ProgramViewer {
  readonly runtime: Runtime<RunSettings>
  readonly actor: string
  readonly labels: WrittenLabels
}

/**
 * Forks a stored run, under what it was started with and what is said anew. Throws what `Runtime.fork` throws, `R2063` and
 * `R2064`, and `R3013` for a level of trust that there is not.
 */
export async function forkStored(
  world: ForkingWorld,
  source: string,
  at: number | undefined,
  { set, decide, id, trust, simulate }: ForkRunOptions,
): Promise<ForkedRun> {
  const { runtime, actor, labels } = world
  if (decide !== undefined && typeof decide !== 'string') throw notText(decide)
  const overrides = {
    actor,
    ...(trust === undefined ? {} : { trust: checkTrust(trust) }),
    ...(simulate === true ? { simulated: true } : {}),
  }
  const records = decide === undefined ? [] : await runtime.journal(source)
  const pinned = (one: State): ViewedPrograms => world.programsOf(one)
  let settling: DecisionInput | undefined
  const decideFork = (word: string) => (standing: ForkSource) => {
    const source = { ...standing, definitions: pinned(standing.state) }
    const found = decisionInput(source, word, () => decidableRecords(records, standing.record, pinned))
    if (isFault(found)) return found
    settling = found
    return [found.frame, found.input] as const
  }
  await labels.refresh()
  const forked = await runtime.fork(source, {
    actor,
    settings: overrides,
    ...(at === undefined ? {} : { at }),
    ...(id === undefined ? {} : { id }),
    ...(set === undefined ? {} : { set }),
    ...(decide === undefined ? {} : { decide: decideFork(decide) }),
  })
  await labels.fork(forked.id, source)
  const { settings, sourceSettings } = forked
  const was = settling && sourceDecision(settling, records, forked.from[1], pinned)
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
  settings: { trust, simulated },
}: ForkResult<RunSettings>): Pick<ForkedRun, 'id' | 'from' | 'records' | 'settled' | 'trust' | 'simulated'> {
  return { id, from: { run, record }, records: state.n, settled, trust, simulated }
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
