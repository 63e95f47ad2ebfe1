import { type Call, type Frame, isObject, type Json, type Port } from '../kernel/index.ts'
import { type RunSettings, labelled, unlabelled, labelPassedBy } from '../policy/index.ts'
import { combine, DERIVED, type Label, TRUSTED, unpackLabel, UNTRUSTED } from '../policy/label.ts'
import { textsIn, type WrittenLabels } from '../policy/written-labels.ts'
import {
  type FileLabels,
  levelBelow,
  performWatched,
  refreshLabels,
  storeSeen,
  type TouchedFiles,
  touchedFiles,
  watchedFiles,
} from './labelled-files.ts'

/** The parts of Reflex that labels of the reads and writes of tools need. */
export interface ToolLabels extends FileLabels {
  /** True for a program whose kind keeps the labels of values. */
  readonly keepsLabels: (def: unknown) => boolean
  /** True for a tool whose results are text from outside. */
  readonly isOutside: (tool: string) => boolean
}

/**
 * The port `tool`, which keeps the labels of its writes and returns its reads with their labels. `label` in the arguments says
 * where the content comes from; a kind that keeps labels writes it. The label of a read is found by path and by text; that of the
 * reads of a command, by text, by the names of files in its arguments, and by the writes of its run. Files that may be programs
 * are labelled by the text that they have after the call. A simulated run writes nothing, so nothing is remembered of it.
 */
export function labelledTools(port: Port<RunSettings>, house: ToolLabels): Port<RunSettings> {
  const { labels, keepsLabels, isOutside } = house
  const watched = watchedFiles(house)
  return {
    ...port,
    used: (result) => port.used?.(unlabelled(result).value),
    async perform(call) {
      const { tool, args = null, label: packed } = isObject(call.args) ? call.args : {}
      // File names are not file content, and content from the network is always untrusted.
      if (tool === 'http' || tool === 'file.list') {
        if (tool === 'http') await passOutward(house, call, UNTRUSTED)
        await call.confirm()
        return port.perform(call)
      }
      const origin = typeof tool === 'string' && isOutside(tool) ? UNTRUSTED : TRUSTED
      const touched = touchedBy(port, call)
      await refreshLabels(labels, call)
      const isLabelled = keepsLabels(call.def)
      // Without labels: a model has chosen these arguments, and may have seen all that its run has read.
      const from = isLabelled ? unpackLabel(packed) : combine(labels.ofReads(call.run), labelPassedBy(call.frame.link?.caller), DERIVED)
      const given = combine(from, origin, touched.anything ? levelBelow(labels, call) : TRUSTED)
      const label = writtenLabel(labels, touched, call.run, args, given)
      const result = await performWatched(watched, touched, call, label, () => port.perform(call) as Promise<Json>)
      const read = combine(
        origin,
        readLabel(labels, touched, call.run, args, result),
        touched.anything ? levelBelow(labels, call) : TRUSTED,
      )
      await passOutward(house, call, read)
      if (isLabelled) return labelled(result, read)
      await storeSeen(labels, call, combine(read, touched.anything ? label : TRUSTED))
      return result
    },
  }
}

/** Labels all later writes of a caller whose kind keeps no labels with a read of the program that it called. */
async function passOutward({ labels, keepsLabels }: ToolLabels, call: Call, label: Label): Promise<void> {
  for (let frame: Frame | undefined = call.frame.link?.caller; frame !== undefined; frame = frame.link?.caller) {
    if (!keepsLabels(call.definition(frame.pin))) return storeSeen(labels, call, label)
  }
}

function touchedBy(port: Port<RunSettings>, call: Call<RunSettings>): TouchedFiles {
  return touchedFiles(port.traits?.(call).needs ?? [])
}

/** Returns the worst label of the inputs, and for a command of the files that it may read. */
function writtenLabel(labels: WrittenLabels, { anything }: TouchedFiles, run: string, args: Json, label: Label): Label {
  return anything ? combine(label, labels.ofRun(run), labels.ofMentioned(JSON.stringify(args))) : label
}

function readLabel(labels: WrittenLabels, { reads, writes, anything }: TouchedFiles, run: string, args: Json, result: Json): Label {
  if (reads.length === 0 && writes.length > 0) return TRUSTED
  const own = anything
    ? [labels.ofRun(run), labels.ofMentioned(JSON.stringify(args))]
    : [labels.ofCommands(run), ...reads.flatMap((path) => [labels.ofPath(path), labels.ofFolder(path)])]
  return combine(...own, ...textsIn(result).map((text) => labels.ofText(text)))
}
