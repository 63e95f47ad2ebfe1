/** The stores of the example: a folder of its own, a simulated clock, and no network. */
import { Reflex } from 'reflex-runtime/skill'
import { type VirtualHost, virtualHost } from 'reflex-runtime/testing'
import { type Measured, runArm, type Trouble } from './arm.ts'
import { makeTasks, type Task } from './tasks.ts'

/** The days of the example: first the runs that are learned from, a week later the others. */
const LEARNED_FROM = Date.UTC(2026, 0, 5, 9)
const LATER = Date.UTC(2026, 0, 12, 9)

interface WorldOptions {
  readonly folder: string
  /** The store; `memory:` for one that nobody needs later. */
  readonly store?: string
  readonly at?: number
  readonly trouble?: Trouble
}

/** Runs tasks with the agent wrapped, over the store of a folder. */
export async function wrappedArm(
  tasks: readonly Task[],
  { folder, store, at = LATER, trouble }: WorldOptions,
): Promise<readonly Measured[]> {
  const host = virtualHost({ at })
  const reflex = new Reflex({
    workdir: folder,
    ...(store === undefined ? {} : { store }),
    surroundings: surroundings(host, folder),
    onTrouble: (fault) => console.error(String(fault)),
  })
  try {
    return await runArm(tasks, { host, reflex, ...(trouble === undefined ? {} : { trouble }) })
  } finally {
    await reflex.close()
  }
}

/** Runs tasks with the bare agent. */
export function bareArm(tasks: readonly Task[], trouble?: Trouble): Promise<readonly Measured[]> {
  return runArm(tasks, { host: virtualHost({ at: LATER }), ...(trouble === undefined ? {} : { trouble }) })
}

/** Runs the tasks that are learned from, in a new store of the folder. */
export function learnedFrom(folder: string, count: number): Promise<readonly Measured[]> {
  return wrappedArm(makeTasks(1, count, true), { folder, at: LEARNED_FROM })
}

function surroundings(host: VirtualHost, folder: string) {
  const worker = { id: 'desk', host: 'desk', pid: process.pid }
  return { host, worker, cwd: folder, environment: process.env, actor: 'desk' }
}
