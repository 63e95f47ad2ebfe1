import { isObject, type Json } from '../kernel/json.ts'
import type { Call, Port } from '../kernel/port.ts'
import { hashOf, textsIn, type WrittenLabels } from './memory/written.ts'
import { combine, isTrusted, type Label, TRUSTED, unpackLabel } from './middleware/label.ts'
import { isLasting, labelled } from './middleware/labelled.ts'
import { isPipeline } from './vouching.ts'

const READS = 'arbor://fs/read/'
const WRITES = 'arbor://fs/write/'

/** The files that a call touches, by permission: real paths as capabilities have them. */
interface Touched {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** True if the tool declares no files, so it may read and write any: a command, a tool of a host. */
  readonly anything: boolean
}

/**
 * The port `tool`, which keeps the labels of its writes and returns its reads with their labels. `label` in the arguments says
 * where the content comes from; the engine writes it. The label of a read is found by path and by text; that of the
 * reads of a command, by text, by the names of files in its arguments, and by the writes of its run. A simulated run
 * writes nothing, so nothing is remembered of it.
 */
export function labelledTools(port: Port, labels: WrittenLabels, isReal: (run: string) => boolean): Port {
  return {
    ...port,
    async perform(call) {
      const { tool, args = null, label: packed } = isObject(call.args) ? call.args : {}
      // The names of files are not their content, and content from the net is always untrusted.
      if (tool === 'http' || tool === 'file.list') return port.perform(call)
      const label = unpackLabel(packed)
      const touched = touchedBy(port, call)
      await labels.refresh()
      if (isReal(call.run)) await before(labels, touched, call, writtenLabel(labels, touched, call.run, args, label))
      const result = (await port.perform(call)) as Json
      if (isReal(call.run)) await after(labels, touched, call, label)
      // Only pipelines know labels; for a workflow a result is what the tool gave.
      if (!isPipeline(call.definition(call.frame.pin))) return result
      return labelled(result, readLabel(labels, touched, call.run, args, result))
    },
  }
}

function touchedBy(port: Port, call: Call): Touched {
  const { needs = [] } = port.traits?.(call) ?? {}
  const below = (prefix: string): string[] => needs.flatMap((need) => (need.startsWith(prefix) ? [need.slice(prefix.length)] : []))
  const [reads, writes] = [below(READS), below(WRITES)]
  return { reads, writes, anything: reads.length + writes.length === 0 }
}

/** A call's output has the worst label of its inputs, and of what a command may read to write it. */
function writtenLabel(labels: WrittenLabels, { anything }: Touched, run: string, args: Json, label: Label): Label {
  return anything ? combine(label, labels.byRun(run), labels.named(JSON.stringify(args))) : label
}

/** A crash must not leave a file without its label, so the files that a call may write are labelled before it begins. */
async function before(labels: WrittenLabels, { writes, anything }: Touched, call: Call, label: Label): Promise<void> {
  if (!isLasting(label)) return
  if (anything) return labels.keep({ run: call.run, label }, call.key)
  for (const [i, path] of writes.entries())
    await labels.keep({ path, run: call.run, label, ...hashed(wholeText(call)) }, `${call.key} ${i}`)
}

/** A file that is written as a whole gets the label of the new content, also if its label was worse before. */
async function after(labels: WrittenLabels, { writes }: Touched, call: Call, label: Label): Promise<void> {
  const [path] = writes
  if (path === undefined || wholeText(call) === undefined || isTrusted(labels.ofPath(path))) return
  await labels.keep({ path, whole: true, label: isLasting(label) ? label : TRUSTED }, `${call.key} whole`)
}

/** The text of a call that writes a whole file. */
function wholeText({ args }: Call): string | undefined {
  const { tool, args: given } = isObject(args) ? args : {}
  const { text, append } = isObject(given) ? given : {}
  return tool === 'file.write' && typeof text === 'string' && append !== true ? text : undefined
}

function hashed(text: string | undefined): { readonly hash?: string } {
  const hash = text === undefined ? undefined : hashOf(text)
  return hash === undefined ? {} : { hash }
}

function readLabel(labels: WrittenLabels, { reads, writes, anything }: Touched, run: string, args: Json, result: Json): Label {
  if (reads.length === 0 && writes.length > 0) return TRUSTED
  const own = anything
    ? [labels.byRun(run), labels.named(JSON.stringify(args))]
    : [labels.byCommands(run), ...reads.flatMap((path) => [labels.ofPath(path), labels.below(path)])]
  return combine(...own, ...textsIn(result).map((text) => labels.ofText(text)))
}
