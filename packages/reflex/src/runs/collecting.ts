import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { faults } from './faults.ts'
import { isRunName } from '../history/run-name.ts'
import type { Fault, Host, Store, SweepResult } from '../kernel/index.ts'

/** What a clean-up may take. */
export interface CollectOptions {
  /** Milliseconds that ended runs are kept. Absent: for ever. */
  readonly keep?: number | undefined
  /** Only tells what would go. */
  readonly dry?: boolean | undefined
}

/** What a clean-up took. */
export interface CollectResult extends SweepResult {
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

/** Drawn names. Of other names, only a folder `.reflex` holds nothing but runs. */
const DRAWN_NAME = /^[a-z]{3,6}-\d[0-9a-z]{3}$/

/** Where folders are moved before they are removed, beside those of runs: no run can have this name. */
const TRASH = '.reflex-gone'

/**
 * Takes away what nothing needs: programs and values that no run and no ledger names, runs that ended longer ago than
 * `keep`, and the folders of these. Whatever is cut short by a crash leaves a store that works, and the next time takes the
 * rest. A folder of `runs` that the store does not know stays: servers and other files keep the folders of their runs there
 * too, and one of those may wait for a month. Throws `R5003` for a store of which nobody knows what it needs; nothing has
 * gone then.
 */
export async function collect(world: CollectWorld, { keep, dry = false }: CollectOptions): Promise<CollectResult> {
  const now = world.host.now()
  const before = keep === undefined ? undefined : now - keep
  const swept = await world.store.sweep({ now, dry, ...(before === undefined ? {} : { before }) })
  const found = foldersOf(world.home, swept.runs, before ?? now)
  if (dry) return { ...swept, folders: found, findings: [] }
  const folders: string[] = []
  const findings: Fault[] = []
  const trash = join(world.home, 'runs', TRASH)
  for (const folder of found) {
    const refused = moveAway(folder, trash)
    if (refused === undefined) folders.push(folder)
    else findings.push(refused)
  }
  if (isFolder(trash)) findings.push(...(removeFolder(trash) ?? []))
  return { ...swept, folders, findings }
}

/** The folders of runs that are gone. One that somebody wrote to after its run had ended is in use by another one of that name. */
function foldersOf(home: string, runIds: readonly string[], before: number): string[] {
  const runs = join(home, 'runs')
  if (!isFolder(runs)) return []
  const ours = basename(home) === '.reflex'
  // Names come from the store: one that leads elsewhere names no folder of a run.
  return runIds
    .filter((run) => (ours ? isRunName(run) : DRAWN_NAME.test(run)))
    .flatMap((run) => [join(runs, run), ...restartFolders(runs, run)])
    .filter((folder) => isFolder(folder) && !hasNewer(folder, before))
}

/** The folders of a pipeline's restarts, `RUN-v2` and so on: those that say that they are this run's. */
function restartFolders(runs: string, run: string): string[] {
  const folders: string[] = []
  for (let restart = 2; isFolder(join(runs, `${run}-v${restart}`)); restart++) folders.push(join(runs, `${run}-v${restart}`))
  return folders.filter((folder) => readManifest(folder) === run)
}

function readManifest(folder: string): unknown {
  try {
    return (JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { readonly run_id?: unknown }).run_id
  } catch {
    return undefined
  }
}

/** A folder itself: what a link leads to belongs to somebody else. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Whether anything in a folder was written after a time. What nobody lets us look at may have been. */
function hasNewer(path: string, time: number): boolean {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return false
    if (stat.mtimeMs > time) return true
    return stat.isDirectory() && readdirSync(path).some((name) => hasNewer(join(path, name), time))
  } catch {
    return true
  }
}

/** Out of the way at once, so that a removal that is cut short leaves no half of a folder behind, and is ended by the next one. */
function moveAway(folder: string, trash: string): Fault | undefined {
  try {
    mkdirSync(trash, { recursive: true })
    renameSync(folder, mkdtempSync(join(trash, 'run-')))
    return undefined
  } catch (cause) {
    return faults.make('R5050', `${folder} cannot be removed`, { file: folder, cause })
  }
}

function removeFolder(folder: string): [Fault] | undefined {
  try {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  } catch (cause) {
    return [faults.make('R5050', `${folder} cannot be removed`, { file: folder, cause })]
  }
}
