import { lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { faults } from './faults.ts'
import { isRunName } from './home.ts'
import type { Fault, Host, Store, Swept } from './kernel/index.ts'

/** What a clean-up may take. */
export interface CollectOptions {
  /** Milliseconds that ended runs are kept. Absent: for ever. */
  readonly keep?: number | undefined
  /** Only tells what would go. */
  readonly dry?: boolean | undefined
}

/** What a clean-up took. */
export interface Collected extends Swept {
  /** Folders of runs that are gone. */
  readonly folders: readonly string[]
  /** `R5050`: folders that could not be removed. */
  readonly findings: readonly Fault[]
}

/** What a clean-up needs. */
export interface CollectWorld {
  readonly store: Store
  /** The folder whose `runs` holds the folders of runs. */
  readonly home: string
  readonly host: Pick<Host, 'now'>
}

/** A folder of a run that the store does not know may be that of a run in another store: it is left alone while it is in use. */
const IN_USE = 24 * 60 * 60 * 1000
/** Drawn names. Of other names, only a folder `.reflex` holds nothing but runs. */
const DRAWN = /^[a-z]{3,6}-\d[0-9a-z]{3}$/

/**
 * Takes away what nothing needs: programs and values that no run and no ledger names, runs that ended longer ago than
 * `keep`, and the folders of runs that are gone. Whatever is cut short by a crash leaves a store that works, and the next
 * time takes the rest. Throws `R5003` for a store of which nobody knows what it needs; nothing has gone then.
 */
export async function collect(world: CollectWorld, { keep, dry = false }: CollectOptions): Promise<Collected> {
  const now = world.host.now()
  const swept = await world.store.sweep({ now, dry, ...(keep === undefined ? {} : { before: now - keep }) })
  const folders: string[] = []
  const findings: Fault[] = []
  for (const folder of await foldersOf(world, swept.runs, now - Math.max(keep ?? 0, IN_USE))) {
    const refused = dry ? undefined : removed(folder)
    if (refused === undefined) folders.push(folder)
    else findings.push(refused)
  }
  return { ...swept, folders, findings }
}

async function foldersOf({ store, home }: CollectWorld, gone: readonly string[], before: number): Promise<string[]> {
  const runs = join(home, 'runs')
  if (!isFolder(runs)) return []
  const ours = basename(home) === '.reflex'
  // Names come from the store: one that leads elsewhere names no folder of a run.
  const swept = gone.filter((run) => (ours ? isRunName(run) : DRAWN.test(run)))
  const orphans: string[] = []
  if (ours && isHomeOf(home, store))
    for (const name of readdirSync(runs)) {
      const orphan = !gone.includes(name) && isFolder(join(runs, name)) && !newer(join(runs, name), before)
      if (orphan && (await store.read(name, 0)) === undefined) orphans.push(name)
    }
  return [...swept.map((run) => join(runs, run)).filter(isFolder), ...orphans.map((run) => join(runs, run))]
}

/** The store that a folder `.reflex` is there for: others may lie beside it, or keep their runs' folders in it. */
function isHomeOf(home: string, { name }: Store): boolean {
  try {
    return realpathSync(name) === join(home, 'reflex.db')
  } catch {
    return false
  }
}

/** A folder itself: what a link leads to belongs to somebody else. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Whether anything in a folder was written after a time. */
function newer(path: string, than: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return false
  if (stat.mtimeMs > than) return true
  return stat.isDirectory() && readdirSync(path).some((name) => newer(join(path, name), than))
}

function removed(folder: string): Fault | undefined {
  try {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  } catch (cause) {
    return faults.make('R5050', `${folder} cannot be removed`, { file: folder, cause })
  }
}
