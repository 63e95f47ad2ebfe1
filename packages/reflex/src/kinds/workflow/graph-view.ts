import type { Graph, GraphNode } from '../../programs/graph.ts'
import type { CompiledNode, CompiledWorkflow } from './compile.ts'
import type { Guard } from './types.ts'

/** Returns the graph of a workflow: nodes and edges in the order of the program, guards in words. */
export function graphView({ workflow, nodes }: CompiledWorkflow): Graph {
  return {
    nodes: [...nodes].map(([id, node]) => nodeOf(id, node, id === workflow.entry)),
    edges: workflow.edges.map(({ id, from, to, event, guard }) => ({
      id,
      from,
      to,
      label: event,
      ...(guard === undefined ? {} : { guard: guardText(guard) }),
    })),
  }
}

function nodeOf(id: string, { node, edges, call }: CompiledNode, entry: boolean): GraphNode {
  return {
    id,
    form: call === undefined ? (edges.length > 1 ? 'choice' : 'step') : 'call',
    ...(entry ? { entry } : {}),
    ...(edges.length === 0 ? { end: true } : {}),
    ...(call === undefined ? {} : { calls: call.program }),
    ...(node.description === undefined ? {} : { about: node.description }),
    spec: node.spec,
  }
}

function guardText(guard: Guard): string {
  switch (guard.type) {
    case 'exists':
      return `${guard.key} is there`
    case 'not-exists':
      return `${guard.key} is not there`
    case 'equals':
      return `${guard.key} = ${JSON.stringify(guard.value)}`
    case 'not-equals':
      return `${guard.key} is not ${JSON.stringify(guard.value)}`
    case 'cel':
      return guard.expr
    case 'custom':
    default:
      return guard.name === undefined ? 'a function says yes' : `${guard.name} says yes`
  }
}
