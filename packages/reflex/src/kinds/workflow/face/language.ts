import type { Language } from '../../../programs/language.ts'
import { formatJson, type Path, readJson } from '../../../text/index.ts'
import { workflowNames } from './names.ts'
import { type FaultDetails, isList, isObject, type Json } from '../../../kernel/index.ts'

/** Workflows in JSON with comments, and as objects in modules. */
export const workflowLanguage: Language = { ...workflowNames, format: formatJson, locate: locateInWorkflow }

/** The part of a program to locate: an edge, else a node, else the program itself. */
interface LocateTarget {
  readonly edge?: string | undefined
  readonly node?: string | undefined
}

/** The parts of a guard that people write: its condition, the name of its function, or the key that it reads. */
const GUARD_LABELS = ['expr', 'name', 'key']

/** Returns the place of an edge in the text of a workflow (that of its guard, if it has one), or of a node. Never throws. */
function locateInWorkflow(text: string, file: string | undefined, { edge, node }: LocateTarget, note?: string): FaultDetails {
  const json = readJson(text, file)
  const path = edgePath(json.value, edge) ?? (node === undefined ? [] : ['nodes', node])
  return json.details(path, { note, part: path[0] === 'nodes' ? 'key' : 'value' })
}

function edgePath(program: Json | undefined, id: string | undefined): Path | undefined {
  const edges = isObject(program) && isList(program.edges) ? program.edges : []
  const index = id === undefined ? -1 : edges.findIndex((edge) => isObject(edge) && edge.id === id)
  if (index < 0) return undefined
  const edge = edges[index]
  const guard = isObject(edge) && isObject(edge.guard) ? edge.guard : undefined
  if (guard === undefined) return ['edges', index]
  const label = GUARD_LABELS.find((key) => typeof guard[key] === 'string')
  return ['edges', index, 'guard', ...(label === undefined ? [] : [label])]
}
