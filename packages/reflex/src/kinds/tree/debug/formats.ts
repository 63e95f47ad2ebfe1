import type { JsonObject } from '../../../kernel/index.ts'
import { type NodeState, nodeStates, type PicturedTree } from './picture.ts'

/** Returns a tree with the states of its nodes as data. */
export function treeDocument(tree: PicturedTree): JsonObject {
  const { source } = tree.def
  const states = nodeStates(tree)
  return {
    id: source.id,
    description: source.description ?? null,
    node_count: states.length,
    max_depth: states.reduce((most, { depth }) => Math.max(most, depth), 0),
    source_path: source.file ?? null,
    active_path: states.filter(isActive).map(({ node }) => node.path),
    root: documentOf(states, 0),
  }
}

function documentOf(states: readonly NodeState[], index: number): JsonObject | null {
  const state = states.find(({ node }) => node.index === index)
  if (state === undefined) return null
  const { node, status, ms } = state
  return {
    id: node.id,
    name: node.compiled.source.name ?? node.id,
    type: node.manifest.type,
    node_type: node.manifest.role,
    path: node.path,
    status,
    is_active: isActive(state),
    ...(ms === undefined ? {} : { running_ms: ms }),
    metadata: node.compiled.source.metadata ?? {},
    children: node.children.map((child) => documentOf(states, child.index)),
  }
}

function isActive({ status, isPaused }: NodeState): boolean {
  return status === 'RUNNING' || isPaused
}

const COLOURS = { FRESH: 'white', RUNNING: 'lightblue', SUCCESS: 'palegreen', FAILURE: 'pink' } as const

/** Returns a tree with the states of its nodes as DOT. Edges have numbers where a node has several children. */
export function treeDot(tree: PicturedTree): string {
  const states = nodeStates(tree)
  const lines = states.flatMap((state) => {
    const { node, status } = state
    const colour = isActive(state) && node.children.length === 0 ? 'lightgreen' : COLOURS[status]
    const box = `  ${quoted(node.path)} [label=${quoted(`${node.id}\n${node.manifest.type} ${status}`)}, style=filled, fillcolor=${colour}]`
    const edges = node.children.map(
      (child, i) => `  ${quoted(node.path)} -> ${quoted(child.path)}${node.children.length > 1 ? ` [label="${i + 1}"]` : ''}`,
    )
    return [box, ...edges]
  })
  return ['digraph tree {', '  node [shape=box]', ...lines, '}', ''].join('\n')
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}
