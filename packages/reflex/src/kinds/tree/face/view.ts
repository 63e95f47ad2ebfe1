import { type Frame, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import type { Graph, GraphEdge, GraphNode } from '../../../programs/graph.ts'
import type { KindResult, KindView, PastFailure } from '../../../programs/kind-view.ts'
import type { CompiledNode, CompiledTree } from '../compile/compiled.ts'
import { treePicture } from '../debug/picture.ts'
import { treeFinder } from '../debug/laid-out.ts'
import { textOf } from '../model/text-of.ts'
import { failureTrace } from '../tick/failures.ts'
import { treeEvents } from './run-events.ts'
import { treeSignature } from './signature.ts'
import { treeStory } from './story.ts'

/** The display of trees and their runs. */
export const treeView: KindView<CompiledTree> = {
  graph,
  signature: treeSignature,
  story: treeStory,
  events: treeEvents,
  result,
  failures,
  picture(def, frame, { now, definition }) {
    const reader = frame.reader()
    return treePicture({ def, position: frame.position, get: (key) => reader.get(key), now, find: treeFinder(definition) })
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

/** What leaves reach outside, in a few words. */
function deedOf({ fn, tool, response_key }: JsonObject): string | undefined {
  if (fn !== undefined) return `function ${textOf(fn)}`
  if (tool !== undefined) return `tool ${textOf(tool)}`
  return response_key === undefined ? undefined : 'a model'
}

/** Returns the failure trace of the execution (EP-03), without the failures that only repeat that of a child. */
function failures(_: CompiledTree, frame: Frame): PastFailure[] {
  const reader = frame.reader()
  const { entries } = failureTrace((key) => reader.get(key))
  const own = entries.filter(({ reason }) => !/^child \S+ failed: /.test(reason))
  return own.map(({ node_path, reason, error_code, timestamp, recovered }) => ({
    node: node_path,
    text: typeof error_code === 'string' ? `${error_code} ${reason}` : reason,
    at: timestamp,
    isRecovered: recovered === true,
  }))
}

/** The value of a tree: what it declares as outputs. */
function result(_: CompiledTree, value: Json): KindResult {
  if (!isObject(value)) return { value }
  const { status, ...values } = value
  return { value: values, how: textOf(status) }
}
