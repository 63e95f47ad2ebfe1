import { type Change, isList, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { Graph, GraphEdge, GraphNode } from '../../../programs/graph.ts'
import type { KindResult, KindView, StoryEvent } from '../../../programs/kind-view.ts'
import { shortJson } from '../../../text/index.ts'
import type { CompiledNode, CompiledTree } from '../compile/compiled.ts'
import { treePicture } from '../debug/picture.ts'
import { stateNames } from '../tick/node-states.ts'
import { textOf } from '../model/text-of.ts'

/** The display of trees and their runs. */
export const treeView: KindView<CompiledTree> = {
  graph,
  story,
  result,
  picture(def, frame, { now, definition }) {
    const reader = frame.reader()
    const find = (name: string): CompiledTree | undefined => definition(`tree:${name}`) as CompiledTree | undefined
    return treePicture({ def, position: frame.position, get: (key) => reader.get(key), now, find })
  },
}

function graph({ root }: CompiledTree): Graph {
  const nodes: GraphNode[] = []
  const edges: GraphEdge[] = []
  const add = (node: CompiledNode): void => {
    nodes.push(nodeOf(node, nodes.length === 0))
    for (const [i, child] of node.children.entries()) {
      const label = node.children.length > 1 ? { label: String(i + 1) } : {}
      edges.push({ id: `${node.source.id}-${child.source.id}`, from: node.source.id, to: child.source.id, ...label })
      add(child)
    }
  }
  add(root)
  return { nodes, edges }
}

function nodeOf({ source, manifest, params, children }: CompiledNode, isFirst: boolean): GraphNode {
  const calls =
    manifest.type === 'subtree_ref' ? `tree:${textOf(params.tree_name)}` : manifest.type === 'call' ? textOf(params.program) : undefined
  return {
    id: source.id,
    form: calls !== undefined ? 'call' : manifest.type === 'ask' ? 'question' : children.length > 1 ? 'choice' : 'step',
    ...(isFirst ? { entry: true } : {}),
    ...(calls === undefined ? {} : { calls }),
    about: source.description ?? source.name ?? manifest.type,
    deed: deedOf(params),
  }
}

/** The work of leaves that reach outside, in a few words. */
function deedOf(params: JsonObject): string | undefined {
  if (params.fn !== undefined) return `calls ${textOf(params.fn)}`
  if (params.tool !== undefined) return `calls the tool ${textOf(params.tool)}`
  if (params.response_key !== undefined) return 'asks a model'
  return params.code === undefined ? undefined : 'runs a script'
}

const MARKS = { RUNNING: 'enter', SUCCESS: 'done', FAILURE: 'fail' } as const

/** The nodes whose status a record has changed, and the events of the tree. */
function story({ record, before, frame, def }: Change<CompiledTree>): readonly StoryEvent[] {
  const changed = stateNames(def, before, frame.position)
  const events = isObject(record.more?.note) && isList(record.more.note.events) ? record.more.note.events : []
  return [
    ...inputStory(record.input),
    ...changed.map(({ path, status, reason }): StoryEvent => {
      if (status === 'FRESH') return { mark: 'skip', node: path, text: 'halted' }
      return { mark: MARKS[status], node: path, ...(reason === undefined ? {} : { text: reason }) }
    }),
    ...reloadStory(record.more?.note),
    ...events.flatMap((event) => (isList(event) ? eventStory(textOf(event[0]), event[1] ?? null) : [])),
  ]
}

function inputStory(input: Change['record']['input']): StoryEvent[] {
  if (input?.[0] === 'message') return [{ mark: 'note', text: `event ${shortJson(input[2], 60)}` }]
  if (input?.[0] === 'answer') return [{ mark: 'answer', text: shortJson(input[2], 60), facts: { answer: input[2] } }]
  return []
}

/** The nodes in which a version differs from the one that it replaces: `reloaded: + retry, − wait, ~ root`. */
function reloadStory(note: Json | undefined): StoryEvent[] {
  if (!isObject(note) || !isObject(note.reload)) return []
  const { added, removed, changed } = note.reload
  const parts = [['+', added] as const, ['−', removed] as const, ['~', changed] as const]
  const text = parts.flatMap(([mark, paths]) => (isList(paths) ? paths.map((path) => `${mark} ${textOf(path)}`) : [])).join(', ')
  return [{ mark: 'warn', text: `reloaded: ${text === '' ? 'the same nodes' : text}` }]
}

/** Events that say more than the statuses of nodes. */
const WARNINGS: readonly string[] = [
  'tree.watchdog.warning',
  'tree.watchdog.timeout',
  'tree.budget.yield',
  'tree.parallel.conflict',
  'tree.cancelled',
  'tree.reload.failed',
  'tree.reload.dropped',
  'tree.debug.refused',
]

function eventStory(type: string, payload: Json): StoryEvent[] {
  if (!WARNINGS.includes(type)) return []
  return [{ mark: 'warn', text: type, facts: isObject(payload) ? payload : {} }]
}

/** The value of a tree: what it declares as outputs. */
function result(_: CompiledTree, value: Json): KindResult {
  if (!isObject(value)) return { value }
  const { status, ...values } = value
  return { value: values, how: textOf(status) }
}
