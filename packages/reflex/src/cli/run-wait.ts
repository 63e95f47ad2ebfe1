import type { Reflex } from '../app/reflex.ts'
import { isFault, type RunRow } from '../kernel/index.ts'
import type { RunHandle } from '../runs/handle.ts'
import type { Cluster, TurnFacts } from '../store/index.ts'
import { abandonedRuns } from './abandoned-runs.ts'
import { missingText } from './doctor/cluster.ts'
import { factLine } from './layout.ts'
import { type Progress, plainLine } from './progress.ts'
import type { Session } from './session.ts'

/** The reason why a run that is due waits in a cluster, and the command or action that helps. */
export interface RunWait {
  readonly queue: string
  readonly text: string
  readonly fix: string
}

/** Milliseconds between two looks at what a run waits for: a turn begins within a second if nothing stops it. */
const LOOK_MS = 2000

/** Returns true if the store has a cluster with a worker that takes turns. */
export async function hasWorkers(reflex: Reflex): Promise<boolean> {
  const facts = await ofCluster(reflex, (cluster) => cluster.facts())
  return facts?.workers.some(({ isAlive, drains }) => isAlive && !drains) === true
}

/** As `useCluster`. A cluster that cannot be used is reported, and counts as none: what the command does needs no cluster. */
async function ofCluster<T>(reflex: Reflex, work: (cluster: Cluster) => Promise<T>): Promise<T | undefined> {
  try {
    return await reflex.useCluster(work)
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    reflex.report(thrown)
    return undefined
  }
}

/** Returns what a run waits for in the cluster of its store; undefined if a process carries it on, if nothing is due, and without a cluster. */
export async function waitInCluster(reflex: Reflex, { id, status, owner }: RunRow): Promise<RunWait | undefined> {
  if (status !== 'running' && status !== 'suspended') return undefined
  const turn = await ofCluster(reflex, (cluster) => cluster.turn(id))
  return turn === undefined || (owner !== null && turn.workers > 0) ? undefined : waitOfTurn(id, turn)
}

function waitOfTurn(run: string, { queue, state, needs, isPaused, workers, lacks, fault }: TurnFacts): RunWait | undefined {
  if (state === 'rests') return undefined
  if (state === 'stuck')
    return { queue, text: `it is set aside: ${fault?.code ?? ''} ${fault?.message ?? ''}`, fix: `reflex queue retry ${run}` }
  if (workers === 0) return { queue, text: 'no worker is alive', fix: 'reflex worker --cluster' }
  if (state !== 'waits') return undefined
  if (isPaused) return { queue, text: `the queue ${queue} is paused`, fix: `reflex queue resume ${queue}` }
  if (lacks !== undefined) return { queue, ...missingText({ lacks, needs, queue }) }
  if (fault !== undefined) return { queue, text: `it is tried again after ${fault.code} ${fault.message}`, fix: `reflex trace ${run}` }
  return { queue, text: `the queue ${queue} has no room`, fix: 'reflex queue list' }
}

/** Says why a followed run waits while no process carries it on, each reason once. Returns a function that ends this. */
export function sayWaits(session: Session, { id }: RunHandle, { screen }: Progress): () => void {
  const { console } = session
  const { host } = console.world.surroundings
  let said = ''
  let isOver = false
  let stopTimer = (): void => undefined
  const print = ({ text, fix }: Omit<RunWait, 'queue'>): void => {
    const facts = [text, console.pasted(fix)]
    const { err } = console
    if (screen === undefined) plainLine(console, console.now, 'waits', `${id}: ${facts.join(' · ')}`)
    else screen.print(factLine(`waits  ${id}`, `${err.paint('yellow', 'waits')}  ${err.text(id)}`, facts, err))
  }
  const look = async (): Promise<void> => {
    // A store that is away is asked again.
    const wait = await waitOf(session, id).catch(() => undefined)
    if (isOver) return
    if (wait !== undefined && wait.text !== said) print(wait)
    said = wait?.text ?? said
    arm()
  }
  const arm = (): void => {
    stopTimer = host.at(host.now() + LOOK_MS, () => void look(), true)
  }
  if (!console.quiet && console.shape === 'text') arm()
  return () => {
    isOver = true
    stopTimer()
  }
}

async function waitOf({ console, reflex }: Session, id: string): Promise<Omit<RunWait, 'queue'> | undefined> {
  const row = (await reflex.store.read(id, 0))?.row
  if (row === undefined) return undefined
  const wait = await waitInCluster(reflex, row)
  if (wait !== undefined || (await reflex.useCluster(async () => true)) === true) return wait
  const isGone = (await abandonedRuns({ console, store: reflex.store }, [row])).has(id)
  return isGone ? { text: 'no process carries it on', fix: `reflex resume ${id}` } : undefined
}
