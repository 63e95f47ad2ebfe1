import { type Call, isObject, type Json } from '../kernel/index.ts'
import type { RunSettings } from '../policy/index.ts'
import { combine, isLasting, isTrusted, isWorthStoring, type Label, packLabel } from '../policy/label.ts'
import { hashOf, pathOf, type WrittenLabels } from '../policy/written-labels.ts'
import { ledgerPlace } from '../tools/capability.ts'
import { labelChanged, textAt } from './file-changes.ts'
import { FolderSearches, type SearchParts } from './folder-searches.ts'

const READS = 'arbor://fs/read/'
const WRITES = 'arbor://fs/write/'

/** The largest delay of a file system clock, in milliseconds. */
const CLOCKS = 1_000

/** The files that a call touches, from its permissions: real paths as in capabilities. */
export interface TouchedFiles {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** True if the tool declares no files and may read and write any file: a command, a tool of the host. */
  readonly anything: boolean
}

/** The parts of Reflex that labels of files need. */
export interface FileLabels extends SearchParts {
  readonly labels: WrittenLabels
}

/** The parts that a watched call needs. */
interface WatchedFiles extends FileLabels {
  /** The searches of all calls, which share what they find. */
  readonly searches: FolderSearches
}

/** Returns the parts of watched calls, which share their searches. */
export function watchedFiles(house: FileLabels): WatchedFiles {
  return { ...house, searches: new FolderSearches(house) }
}

/**
 * Returns the level of the least trusted file that a command of a run may read. Its sensitivity is 0: most commands read few
 * files, and sensitive output is recognized by its text.
 */
export function levelBelow(labels: WrittenLabels, call: Call<RunSettings>): Label {
  const worst = combine(...foldersOf(call).map((folder) => labels.ofFolder(ledgerPlace(folder))))
  return { ...worst, sensitivity: 0 }
}

/** The folders in which commands of a run may leave programs. */
function foldersOf({ settings: { workdir, folder } }: Call<RunSettings>): readonly string[] {
  return [workdir, folder]
}

/** Reads the ledger, and links a fork to its source. */
export async function refreshLabels(labels: WrittenLabels, { run, forkedFrom }: Pick<Call, 'run' | 'forkedFrom'>): Promise<void> {
  await labels.refresh()
  if (forkedFrom !== undefined) await labels.fork(run, forkedFrom)
}

/**
 * Performs a call that may write, and labels files before and after it: the files that it names, and programs that a command
 * left anywhere.
 */
export async function performWatched(
  { labels, isProgram, searches, now }: WatchedFiles,
  touched: TouchedFiles,
  call: Call<RunSettings>,
  label: Label,
  perform: () => Promise<Json>,
): Promise<Json> {
  if (call.settings.simulated) return perform()
  if (!touched.anything) return performWrites(labels, touched, call, label, perform)
  if (isWorthStoring(label) && !isKnown(labels.ofCommands(call.run), label)) await labels.add({ run: call.run, label }, call.key)
  const roots = foldersOf(call)
  // A command may read every file there, so a program that it leaves gets the worst label of them.
  const worst = combine(label, labels.ofAnyCommand(), ...roots.map((folder) => labels.ofFolder(ledgerPlace(folder))))
  if (!isWorthStoring(worst)) {
    await call.confirm()
    return perform()
  }
  const search = () => searches.find(roots, isLasting(label) ? 'all' : 'programs')
  const { run, key } = call
  const left = isLasting(label) ? label : worst
  const since = await labels.begin(key, { folders: roots.map(ledgerPlace), label: left, since: now() - CLOCKS })
  const found = await search()
  await call.confirm()
  try {
    return await perform()
  } finally {
    const files = [found, await search()] as const
    await labelChanged(labels, files, { run, label: left, key, isProgram, since })
    await labels.end(key)
  }
}

/** Stores the label of what the programs without labels have read in a run. */
export async function storeSeen(labels: WrittenLabels, { run, key }: Pick<Call, 'run' | 'key'>, label: Label): Promise<void> {
  const known = labels.ofReads(run)
  if (combine(known, label).level === known.level && combine(known, label).sensitivity === known.sensitivity) return
  await labels.add({ run, seen: true, label }, `${key} seen`)
}

/** Returns the files that a list of capabilities touches. */
export function touchedFiles(needs: readonly string[]): TouchedFiles {
  const below = (prefix: string): string[] => needs.flatMap((need) => (need.startsWith(prefix) ? [need.slice(prefix.length)] : []))
  const [reads, writes] = [below(READS), below(WRITES)]
  return { reads, writes, anything: reads.length + writes.length === 0 }
}

/** True if a label adds nothing to a known label. */
function isKnown(known: Label, label: Label): boolean {
  return JSON.stringify(packLabel(combine(known, label))) === JSON.stringify(packLabel(known))
}

/**
 * Performs a call that names the files that it writes. The files are labelled before the call, because a crash must not leave a
 * file without its label. Afterwards each file gets the label of its new text: the label of the call if the call wrote the
 * whole file. Unchanged text keeps its label.
 */
async function performWrites(
  labels: WrittenLabels,
  { writes }: TouchedFiles,
  call: Call,
  label: Label,
  perform: () => Promise<Json>,
): Promise<Json> {
  const files = writes.flatMap((place) => {
    const prior = labels.ofPath(place)
    return isWorthStoring(label) || !isTrusted(prior) ? [{ place, prior, text: textAt(pathOf(place)) }] : []
  })
  const { run, key } = call
  if (isWorthStoring(label)) for (const [i, { place }] of files.entries()) await labels.add({ path: place, run, label }, `${key} ${i}`)
  await call.confirm()
  let done = false
  try {
    const result = await perform()
    done = true
    return result
  } finally {
    for (const { place, prior, text } of files) {
      const now = textAt(pathOf(place))
      const isNew = done && isWhole(call)
      const left = now === text ? prior : isNew ? label : combine(label, prior)
      const hash = now === undefined || now === text ? undefined : hashOf(now, place)
      await labels.add({ path: place, run, whole: true, label: left, ...(hash === undefined ? {} : { hash }) }, `${key} left ${place}`)
    }
  }
}

/** True if a call writes the whole file. */
function isWhole({ args }: Call): boolean {
  const { tool, args: given } = isObject(args) ? args : {}
  const { text, append } = isObject(given) ? given : {}
  return tool === 'file.write' && typeof text === 'string' && append !== true
}
