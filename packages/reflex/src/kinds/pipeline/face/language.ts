import type { Language } from '../../../programs/language.ts'
import { formatDot } from '../dot/format.ts'
import { pipelineNames } from './names.ts'
import type { FaultDetails } from '../../../kernel/index.ts'
import { Source } from '../../../text/index.ts'
import { parseDot } from '../dot/parse.ts'
import { edgeIds } from '../dot/edge-ids.ts'

/** Pipelines in DOT, and in modules as text or as graphs. */
export const pipelineLanguage: Language = { ...pipelineNames, format: formatDot, locate: locateInPipeline }

/** The element to find: an edge by its name in pictures, otherwise a node, otherwise the pipeline. */
interface Target {
  readonly edge?: string | undefined
  readonly node?: string | undefined
}

/** Finds an edge (its condition, if it has one) or a node in the text of a pipeline. Never throws. */
export function locateInPipeline(text: string, file: string | undefined, { edge, node }: Target, note?: string): FaultDetails {
  const { graph } = parseDot(text, { accumulateErrors: true, file })
  const named = graph === undefined || edge === undefined ? undefined : [...edgeIds(graph.edges)].find(([, id]) => id === edge)?.[0]
  const at = named?.attributes.get('condition')?.valueAt ?? named?.at ?? (node === undefined ? undefined : graph?.nodes.get(node)?.at)
  const path = named === undefined ? (node ?? graph?.id) : edge
  const where = path === undefined ? {} : { path }
  if (at === undefined) return file === undefined ? where : { ...where, file }
  return { ...where, ...new Source(text, file).details(at.from, Math.max(1, at.to - at.from), note) }
}
