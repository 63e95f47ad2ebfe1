import type { Frame } from '../../../kernel/state/frame.ts'
import { isObject, type Json } from '../../../kernel/journal/json.ts'
import type { Call, Port } from '../../../kernel/ports/port.ts'
import { hashOf, pathOf, textsIn, type WrittenLabels } from '../../../policy/written-labels.ts'
import { findFiles, type FoundFiles, labelChanged, textAt } from '../operations/memory/file-changes.ts'
import { ledgerPlace } from '../../../tools/capability.ts'
import { labelPassedBy } from '../engine/labels.ts'
import { combine, DERIVED, isTrusted, type Label, packLabel, TRUSTED, unpackLabel, UNTRUSTED } from '../../../policy/label.ts'
import { isWorthStoring, isLasting, labelled, unlabelled } from '../contract/labelled.ts'
import { isPipeline } from '../model/program-author.ts'
import type { RunSettings } from '../../../policy/index.ts'

const READS = 'arbor://fs/read/'
const WRITES = 'arbor://fs/write/'

/** Milliseconds by which the clock of a file system may be behind. */
const CLOCKS = 1_000

/** The files that a call touches, by permission: real paths as capabilities have them. */
export interface TouchedFiles {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** True if the tool declares no files, so it may read and write any: a command, a tool of a host. */
  readonly anything: boolean
}

/** The parts of the house that a labelled tool needs. */
export interface LabelledTools {
  readonly labels: WrittenLabels
  /** True if a program could be read from a file at this path. */
  readonly isProgram: (path: string) => boolean
  /** Folders that no command sees. */
  readonly hidden: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * The port `tool`, which keeps the labels of its writes and returns its reads with their labels. `label` in the arguments says
 * where the content comes from; the engine writes it. The label of a read is found by path and by text; that of the
 * reads of a command, by text, by the names of files in its arguments, and by the writes of its run. Files that may be programs
 * are labelled by the text that they have after the call. A simulated run writes nothing, so nothing is remembered of it.
 */
export function labelledTools(port: Port<RunSettings>, house: LabelledTools): Port<RunSettings> {
  const { labels } = house
  return {
    ...port,
    used: (result) => port.used?.(unlabelled(result).value),
    async perform(call) {
      const { tool, args = null, label: packed } = isObject(call.args) ? call.args : {}
      // The names of files are not their content, and content from the net is always untrusted.
      if (tool === 'http' || tool === 'file.list') {
        if (tool === 'http') await passOutward(labels, call, UNTRUSTED)
        return port.perform(call)
      }
      const touched = touchedBy(port, call)
      await refreshLabels(labels, call)
      const isOurs = isPipeline(call.definition(call.frame.pin))
      // A workflow keeps no labels: a model has chosen these arguments, and may have seen all that its run has read.
      const from = isOurs ? unpackLabel(packed) : combine(labels.ofReads(call.run), labelPassedBy(call.frame.link?.caller), DERIVED)
      const given = combine(from, touched.anything ? levelBelow(labels, call) : TRUSTED)
      const label = writtenLabel(labels, touched, call.run, args, given)
      const result = await performWatched(house, touched, call, label, () => port.perform(call) as Promise<Json>)
      const read = combine(readLabel(labels, touched, call.run, args, result), touched.anything ? levelBelow(labels, call) : TRUSTED)
      await passOutward(labels, call, read)
      if (isOurs) return labelled(result, read)
      await storeSeen(labels, call, combine(read, touched.anything ? label : TRUSTED))
      return result
    },
  }
}

/** The level of the worst file that a command of a run may read. How sensitive its output is shows in the text alone: most commands read few files. */
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

/** Performs a call that may write, and labels its files before and after: those that it names, and programs wherever a command left them. */
export async function performWatched(
  { labels, isProgram, hidden, now }: LabelledTools,
  touched: TouchedFiles,
  call: Call<RunSettings>,
  label: Label,
  perform: () => Promise<Json>,
): Promise<Json> {
  if (call.settings.simulated) return perform()
  if (!touched.anything) return performWrites(labels, touched, call, label, perform)
  if (isWorthStoring(label) && !isKnown(labels.ofCommands(call.run), label)) await labels.add({ run: call.run, label }, call.key)
  const roots = foldersOf(call)
  // A command may read whatever lies there, so a program that it leaves is worth as little as the worst of it.
  const worst = combine(label, labels.ofAnyCommand(), ...roots.map((folder) => labels.ofFolder(ledgerPlace(folder))))
  if (!isWorthStoring(worst)) return perform()
  const isWanted = isLasting(label) ? () => true : isProgram
  const search = (): Promise<FoundFiles> => findFiles(roots, { isWanted, hidden })
  const { run, key } = call
  const left = isLasting(label) ? label : worst
  const since = await labels.begin(key, { folders: roots.map(ledgerPlace), label: left, since: now() - CLOCKS })
  const found = await search()
  try {
    return await perform()
  } finally {
    const files = [found, await search()] as const
    await labelChanged(labels, files, { run, label: left, key, isProgram, since })
    await labels.end(key)
  }
}

/** Programs of other kinds keep no labels: what a pipeline below them reads counts for all that they write. */
async function passOutward(labels: WrittenLabels, call: Call, label: Label): Promise<void> {
  for (let frame: Frame | undefined = call.frame.link?.caller; frame !== undefined; frame = frame.link?.caller) {
    if (!isPipeline(call.definition(frame.pin))) return storeSeen(labels, call, label)
  }
}

/** Remembers that programs of a run that keep no labels have read something. */
export async function storeSeen(labels: WrittenLabels, { run, key }: Pick<Call, 'run' | 'key'>, label: Label): Promise<void> {
  const known = labels.ofReads(run)
  if (combine(known, label).level === known.level && combine(known, label).sensitivity === known.sensitivity) return
  await labels.add({ run, seen: true, label }, `${key} seen`)
}

function touchedBy(port: Port<RunSettings>, call: Call<RunSettings>): TouchedFiles {
  return touchedFiles(port.traits?.(call).needs ?? [])
}

/** The files that something touches, by what it needs. */
export function touchedFiles(needs: readonly string[]): TouchedFiles {
  const below = (prefix: string): string[] => needs.flatMap((need) => (need.startsWith(prefix) ? [need.slice(prefix.length)] : []))
  const [reads, writes] = [below(READS), below(WRITES)]
  return { reads, writes, anything: reads.length + writes.length === 0 }
}

/** A call's output has the worst label of its inputs, and of what a command may read to write it. */
function writtenLabel(labels: WrittenLabels, { anything }: TouchedFiles, run: string, args: Json, label: Label): Label {
  return anything ? combine(label, labels.ofRun(run), labels.ofMentioned(JSON.stringify(args))) : label
}

/** True if a label adds nothing to another one. */
function isKnown(known: Label, label: Label): boolean {
  return JSON.stringify(packLabel(combine(known, label))) === JSON.stringify(packLabel(known))
}

/**
 * Performs a call that names the files that it writes. They are labelled before it begins, for a crash must not leave a file
 * without its label. Afterwards each has the label of its new text: that of the call if all of it is new. A text that has not
 * changed keeps the label that it had.
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

/** True for a call that writes the whole of a file. */
function isWhole({ args }: Call): boolean {
  const { tool, args: given } = isObject(args) ? args : {}
  const { text, append } = isObject(given) ? given : {}
  return tool === 'file.write' && typeof text === 'string' && append !== true
}

function readLabel(labels: WrittenLabels, { reads, writes, anything }: TouchedFiles, run: string, args: Json, result: Json): Label {
  if (reads.length === 0 && writes.length > 0) return TRUSTED
  const own = anything
    ? [labels.ofRun(run), labels.ofMentioned(JSON.stringify(args))]
    : [labels.ofCommands(run), ...reads.flatMap((path) => [labels.ofPath(path), labels.ofFolder(path)])]
  return combine(...own, ...textsIn(result).map((text) => labels.ofText(text)))
}
