import { lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { faults } from './faults.ts'
import { isRunName } from '../history/run-name.ts'
import type { Fault, Host, Segment, Store, SweepResult } from '../kernel/index.ts'

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
  /** The sealed segments that were compressed. */
  readonly packed: PackedSegments
  /** `R5050`: folders that could not be removed. */
  readonly findings: readonly Fault[]
}

/** The sealed segments of runs that a clean-up has compressed. */
export interface PackedSegments {
  readonly segments: number
  /** The number of bytes by which their records became smaller; 0 with `dry`. */
  readonly saved: number
  /** The sealed segments that the next clean-up compresses. */
  readonly left: number
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
 * runs, and compresses sealed segments. A crash leaves a store that works, and the next clean-up removes the rest. A folder of `runs` that the store does not
 * know stays: servers and other stores keep folders of their runs there too, and such a run may wait for a month. Throws `R5003`
 * for a store whose needs are unknown; nothing has been removed then.
 */
export async function collect(world: CollectWorld, { keep, dry = false }: CollectOptions): Promise<CollectResult> {
  const now = world.host.now()
  const before = keep === undefined ? undefined : now - keep
  const swept = await world.store.sweep({ now, dry, ...(before === undefined ? {} : { before }) })
  const found = foldersOf(world.home, swept.runs, before ?? now)
  const packed = await packSealed(world.store, new Set(swept.runs), dry)
  if (dry) return { ...swept, folders: found, packed, findings: [] }
  const folders: string[] = []
  const findings: Fault[] = []
  const trash = join(world.home, 'runs', TRASH)
  for (const folder of found) {
    const refused = moveAway(folder, trash)
    if (refused === undefined) folders.push(folder)
    else findings.push(refused)
  }
  if (isFolder(trash)) findings.push(...(removeFolder(trash) ?? []))
  return { ...swept, folders, packed, findings }
}

/** The most segments that one clean-up compresses: a segment is some thousand records. */
const MOST_PACKED = 200

/** Compresses sealed segments of all runs that stay. Two processes that compress the same segment do not disturb each other. */
async function packSealed(store: Store, removed: ReadonlySet<string>, dry: boolean): Promise<PackedSegments> {
  const total = { segments: 0, saved: 0, left: 0 }
  for (const { id } of await store.runs()) {
    if (removed.has(id)) continue
    for (const segment of (await store.segments(id)).filter(isUnpacked)) {
      if (total.segments === MOST_PACKED) total.left++
      else {
        if (!dry) total.saved += (await store.pack(id, segment.number)).saved
        total.segments++
      }
    }
  }
  return total
}

function isUnpacked({ sealed, place }: Segment): boolean {
  return sealed && place === 'rows'
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
