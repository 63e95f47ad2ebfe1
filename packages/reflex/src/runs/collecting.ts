import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { faults } from './faults.ts'
import { isRunName } from '../history/run-name.ts'
import type { Fault, Host, Store, SweepResult } from '../kernel/index.ts'

/** Options for a clean-up. */
export interface CollectOptions {
  /** Milliseconds that ended runs are kept. Absent: they are never removed. */
  readonly keep?: number | undefined
  /** Only lists what would be removed. */
  readonly dry?: boolean | undefined
}

/** The result of a clean-up. */
export interface CollectResult extends SweepResult {
  /** The removed folders of removed runs. */
  readonly folders: readonly string[]
  /** `R5050`: folders that could not be removed. */
  readonly findings: readonly Fault[]
}

/** The store, folder and clock of a clean-up. */
export interface CollectWorld {
  readonly store: Store
  /** The folder that has the folders of runs in `runs`. */
  readonly home: string
  readonly host: Pick<Host, 'now'>
}

/**
 * The form of generated names. Only a folder `.reflex` is sure to hold nothing but runs; in other folders only generated names
 * are removed.
 */
const DRAWN_NAME = /^[a-z]{3,6}-\d[0-9a-z]{3}$/

/** The folder into which folders are moved before they are removed. It lies beside the folders of runs; no run can have this name. */
const TRASH = '.reflex-gone'

/**
 * Removes programs and values that no run and no ledger names, runs that ended longer ago than `keep`, and the folders of these
 * runs. A crash leaves a store that works, and the next clean-up removes the rest. A folder of `runs` that the store does not
 * know stays: servers and other stores keep folders of their runs there too, and such a run may wait for a month. Throws `R5003`
 * for a store whose needs are unknown; nothing has been removed then.
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

/**
 * Returns the folders of removed runs. A folder that was written to after the end of its run belongs to another run of the same
 * name and is left out.
 */
function foldersOf(home: string, runIds: readonly string[], before: number): string[] {
  const runs = join(home, 'runs')
  if (!isFolder(runs)) return []
  const ours = basename(home) === '.reflex'
  // A name from the store that leads out of `runs` is not the name of a folder of a run.
  return runIds
    .filter((run) => (ours ? isRunName(run) : DRAWN_NAME.test(run)))
    .flatMap((run) => [join(runs, run), ...restartFolders(runs, run)])
    .filter((folder) => isFolder(folder) && !hasNewer(folder, before))
}

/** Returns the folders of a pipeline's restarts, `RUN-v2` and so on, whose manifests name this run. */
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

/** True for a folder. False for a link to a folder: its target belongs to somebody else. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** True if anything in a folder was written after a time, or cannot be read. */
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

/**
 * Moves a folder into the trash in one step. A removal that a crash cuts short leaves no partial folder behind, and the next
 * clean-up completes it.
 */
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
