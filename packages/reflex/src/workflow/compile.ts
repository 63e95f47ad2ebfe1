import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import type { Request, ReturnPair } from '../kernel/record.ts'
import type { CustomGuard, Edge, Node, Workflow } from './types.ts'

/** A node with what a step needs of it, worked out once. */
export interface CompiledNode {
  readonly node: Node
  readonly edges: readonly Edge[]
  readonly edge: ReadonlyMap<string, Edge>
  /** All its edges, if none has a guard. */
  readonly open: Edge[] | undefined
  /** The request that entering the node makes; shared by all steps. */
  readonly requests: Request[]
  readonly call: { readonly program: string; readonly map: readonly ReturnPair[] } | undefined
}

/** A workflow ready to run. */
export interface CompiledWorkflow {
  readonly workflow: Workflow
  readonly nodes: ReadonlyMap<string, CompiledNode>
  readonly calls: readonly string[]
}

/** The port through which a node's decision is asked for. */
export const DECIDE = 'decide'

/** A reference to a program: `kind:id`, a bare id being a workflow. */
export function programRef(id: string): string {
  return /^[a-z]+:/.test(id) ? id : `workflow:${id}`
}

const compiled = new WeakMap<Workflow, CompiledWorkflow>()

/** Prepares a workflow that has been validated; the same object is prepared once. */
export function compileWorkflow(workflow: Workflow): CompiledWorkflow {
  const known = compiled.get(workflow)
  if (known !== undefined) return known
  const outgoing = new Map<string, Edge[]>(Object.keys(workflow.nodes).map((id) => [id, []]))
  for (const edge of workflow.edges) outgoing.get(edge.from)?.push(edge)
  const nodes = new Map(Object.entries(workflow.nodes).map(([id, node]) => [id, compileNode(node, outgoing.get(id) ?? [])]))
  const calls = [...new Set([...nodes.values()].flatMap(({ call }) => (call === undefined ? [] : [call.program])))]
  const result = { workflow, nodes, calls }
  compiled.set(workflow, result)
  return result
}

function compileNode(node: Node, edges: Edge[]): CompiledNode {
  const { invokes } = node
  const map = invokes?.returnMap.map(({ parentKey, childKey }): ReturnPair => [parentKey, childKey])
  return {
    node,
    edges,
    edge: new Map(edges.map((edge) => [edge.id, edge])),
    open: edges.some(({ guard }) => guard !== undefined) ? undefined : Object.freeze(edges) as Edge[],
    requests: [[DECIDE]],
    call: invokes === undefined ? undefined : { program: programRef(invokes.workflowId), map: map ?? [] },
  }
}

const sources = new WeakMap<Workflow, { readonly source: Json; readonly local: string | undefined }>()

/**
 * A workflow as data, for its hash and for a store. Functions stand by name and version; `local` says why it
 * cannot be stored, if one has neither (decisions, guards that are functions).
 */
export function workflowSource(workflow: Workflow): { readonly source: Json; readonly local: string | undefined } {
  const known = sources.get(workflow)
  if (known !== undefined) return known
  let local: string | undefined
  const text = JSON.stringify(workflow, (key, value: unknown) => {
    if (key !== 'guard' || !isCustom(value)) return value
    if (value.name === undefined || value.version === undefined) local ??= `a guard is a function without ${value.name === undefined ? 'a name' : 'a version'}`
    return { type: 'custom', name: value.name ?? `function ${value.evaluate}`, ...(value.version === undefined ? {} : { version: value.version }) }
  })
  const result = { source: JSON.parse(text) as JsonObject, local }
  sources.set(workflow, result)
  return result
}

function isCustom(value: unknown): value is CustomGuard {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'custom' && 'evaluate' in value && typeof value.evaluate === 'function'
}

/** The node that a position stands at: `"node"`, or `["node", 1]` once the node's call has returned. */
export function nodeAt(position: Json | undefined): string | undefined {
  if (typeof position === 'string') return position
  return Array.isArray(position) && typeof position[0] === 'string' ? position[0] : undefined
}

/** Whether the call of the node has returned, so that a decision is due and not the call. */
export function hasReturned(position: Json | undefined): boolean {
  return Array.isArray(position)
}

/** Narrows a value to an object with string keys. */
export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}
