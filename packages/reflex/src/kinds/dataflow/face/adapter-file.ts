import { basename, dirname, join } from 'node:path'
import type { Fault } from '../../../kernel/index.ts'
import type { CompanionText, ReadContext } from '../../../programs/language.ts'
import { adapterText, updateAdapterText } from '../adapter/adapter-text.ts'
import { readAdapter } from '../adapter/read-adapter.ts'
import { writeAdapter } from '../adapter/write-adapter.ts'
import type { ValidatedGraph } from '../model/graph.ts'
import { adapterSibling, siblingName } from './siblings.ts'

/** The version of the runtime that a new adapter asks for: the first one that runs graphs. */
const RUNTIME = '0.1.0'

/** Returns the adapter beside a graph with all that the graph needs. `findings`: those of the graph. Nothing is removed from an adapter. */
export function adapterFile(
  graph: ValidatedGraph | undefined,
  file: string,
  findings: readonly Fault[],
  context: ReadContext,
): CompanionText {
  const path = context.companions?.adapter ?? join(dirname(file), siblingName(basename(file), 'adapter'))
  const found = adapterSibling(file, context)
  if (graph === undefined) return { file: path, before: found?.text, findings }
  if (found === undefined) return { file: path, text: adapterText(writeAdapter(graph, { runtime: RUNTIME })), findings: [] }
  const { text: before } = found
  const read = readAdapter(before, found.file)
  if (read.adapter === undefined) return { file: path, before, findings: read.findings }
  const after = writeAdapter(graph, { existing: read.adapter, runtime: RUNTIME })
  return { file: path, before, text: updateAdapterText(before, read.adapter, after), findings: [] }
}
