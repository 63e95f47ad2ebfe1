import {
  type FunctionPin,
  type Validator,
  isObject,
  type Json,
  type JsonObject,
  type Request,
  type ReturnPair,
} from '../../../kernel/index.ts'
import { boardValidators, schemaSource } from './board-schemas/board-schemas.ts'
import { frozenCopy } from './frozen-copy.ts'
import type { CustomGuard, Edge, InputMapping, Node, Workflow } from '../types/index.ts'

/** A node with the data that its steps need, computed once. */
export interface CompiledNode {
  readonly node: Node
  readonly edges: readonly Edge[]
  readonly edgeById: ReadonlyMap<string, Edge>
  /** All its edges, if none of them has a guard. */
  readonly unguardedEdges: Edge[] | undefined
  /** The request that entering the node makes, shared by all steps. */
  readonly requests: Request[]
  readonly call: CompiledCall | undefined
}

/** The call that an invoking node makes. */
export interface CompiledCall {
  /** The reference as written, with its kind. */
  readonly program: string
  /** The names under which the program is looked up, in order. */
  readonly programs: readonly string[]
  readonly map: readonly ReturnPair[]
  readonly inputs: readonly InputMapping[]
}

/** A workflow ready to run. */
export interface CompiledWorkflow {
  readonly workflow: Workflow
  readonly nodes: ReadonlyMap<string, CompiledNode>
  readonly calls: readonly string[]
  /** The functions of its guards that have a name and a version, each once. */
  readonly functions: readonly FunctionPin[]
  /** The validators of its declared board keys. */
  readonly board: Readonly<Record<string, Validator>> | undefined
}

/** The port that requests the decision of a node. */
export const DECIDE = 'decide'

/** Returns a reference to a program, `kind:id`. An id without a kind is a workflow. */
export function programRef(id: string): string {
  return /^[a-z][a-z0-9-]*:/.test(id) ? id : `workflow:${id}`
}

/**
 * Returns the names under which a called program is looked up, in order: the workflow with exactly this id, then the program of
 * the kind that the id begins with. An id may contain a colon.
 */
export function programRefs(id: string): readonly string[] {
  const exact = `workflow:${id}`
  const reference = programRef(id)
  return reference === exact ? [exact] : [exact, reference]
}

const compiled = new WeakMap<Workflow, CompiledWorkflow>()

/** Compiles a valid workflow from its own frozen copy. The same definition is compiled once. */
export function compileWorkflow(definition: Workflow): CompiledWorkflow {
  const workflow = frozenCopy(definition)
  const known = compiled.get(workflow)
  if (known !== undefined) return known
  const outgoing = new Map<string, Edge[]>(Object.keys(workflow.nodes).map((id) => [id, []]))
  for (const edge of workflow.edges) outgoing.get(edge.from)?.push(edge)
  const nodes = new Map(Object.entries(workflow.nodes).map(([id, node]) => [id, compileNode(node, outgoing.get(id) ?? [])]))
  const calls = [...new Set([...nodes.values()].flatMap(({ call }) => call?.programs ?? []))]
  const result = { workflow, nodes, calls, functions: functionsOf(workflow), board: boardValidators(workflow.board) }
  compiled.set(workflow, result)
  return result
}

function functionsOf({ edges }: Workflow): readonly FunctionPin[] {
  const found = new Map<string, FunctionPin>()
  for (const { guard } of edges) {
    if (guard?.type !== 'custom' || guard.name === undefined || guard.version === undefined) continue
    found.set(JSON.stringify([guard.name, guard.version]), [guard.name, guard.version])
  }
  return [...found.values()]
}

function compileNode(node: Node, edges: Edge[]): CompiledNode {
  const { invokes } = node
  const map = invokes?.returnMap.map(({ parentKey, childKey }): ReturnPair => [parentKey, childKey])
  return {
    node,
    edges,
    edgeById: new Map(edges.map((edge) => [edge.id, edge])),
    unguardedEdges: edges.some(({ guard }) => guard !== undefined) ? undefined : (Object.freeze(edges) as Edge[]),
    requests: [[DECIDE]],
    call: invokes === undefined ? undefined : { ...programNames(invokes.workflowId), map: map ?? [], inputs: invokes.inputMap ?? [] },
  }
}

function programNames(id: string): Pick<CompiledCall, 'program' | 'programs'> {
  return { program: programRef(id), programs: programRefs(id) }
}

const sources = new WeakMap<Workflow, { readonly source: Json; readonly local: string | undefined }>()

/**
 * Returns a workflow as data, for its hash and for a store. Functions are represented by name and version. `local` is the reason
 * why the workflow cannot be stored, if a function has neither (decisions, guards that are functions).
 */
export function workflowSource(definition: Workflow): { readonly source: Json; readonly local: string | undefined } {
  const workflow = frozenCopy(definition)
  const known = sources.get(workflow)
  if (known !== undefined) return known
  const reasons: string[] = []
  const { nodes, edges, board, ...rest } = workflow
  const source = {
    ...jsonOr({ id: rest.id, entry: rest.entry }, rest, 'the metadata', reasons),
    nodes: Object.fromEntries(Object.entries(nodes).map(([id, node]) => [id, jsonOr({ id }, node, `node ${id}`, reasons)])),
    edges: edges.map((edge) => jsonOr({ id: edge.id }, edgeSource(edge, reasons), `edge ${edge.id}`, reasons)),
    ...(board === undefined ? {} : { board: boardSource(board, reasons) }),
  }
  const result = { source, local: reasons[0] }
  sources.set(workflow, result)
  return result
}

/**
 * Returns a part of a workflow as data: the part itself if it is JSON, because it is frozen. A part that is not JSON, such as a
 * function in a spec, can run but cannot be stored.
 */
function jsonOr(fallback: JsonObject, part: object, what: string, reasons: string[]): JsonObject {
  try {
    if (isJson(part)) return part as JsonObject
    return JSON.parse(JSON.stringify(part, rejectNonJson)) as JsonObject
  } catch {
    reasons.push(`${what} has a value that JSON cannot express`)
    return fallback
  }
}

/** True if `JSON.stringify` would keep a copied value unchanged. */
function isJson(value: unknown): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  if (typeof value !== 'object') return false
  if (Array.isArray(value)) return value.every(isJson)
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isJson)
}

/** Throws for a value that `JSON.stringify` would leave out or change. */
function rejectNonJson(this: unknown, key: string, value: unknown): unknown {
  const raw = (this as { readonly [key: string]: unknown })[key]
  const plain = typeof raw !== 'object' || raw === null || Array.isArray(raw) || isPlainObject(raw)
  if (!plain || typeof raw === 'function' || typeof raw === 'symbol' || Number.isNaN(raw)) throw new TypeError(`${key} is not JSON`)
  return value
}

/** True for an object created by a literal, also in another realm and with any keys. */
function isPlainObject(raw: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(raw)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Returns the schemas of a board as JSON Schema. Validators without an equivalent JSON Schema cannot be stored. */
function boardSource(board: NonNullable<Workflow['board']>, reasons: string[]): JsonObject {
  const schemas = Object.entries(board).map(([key, schema]) => {
    const source = schemaSource(schema)
    if ('schema' in source) return [key, source.schema] as const
    reasons.push(`JSON Schema cannot express the schema of ${key}: ${source.reason}`)
    return [key, {}] as const
  })
  return Object.fromEntries(schemas)
}

/**
 * Returns an edge as data. A guard that is a function is shared with its owner, who may change it, so it is represented by name
 * and version.
 */
function edgeSource(edge: Edge, reasons: string[]): object {
  return edge.guard?.type === 'custom' ? { ...edge, guard: guardSource(edge.guard, reasons) } : edge
}

function guardSource(guard: CustomGuard, reasons: string[]): object {
  const { name, version, evaluate } = guard
  if (typeof evaluate !== 'function') return { ...guard }
  if (name === undefined || version === undefined)
    reasons.push(`a guard is a function without ${name === undefined ? 'a name' : 'a version'}`)
  return { type: 'custom', name: name ?? `function ${evaluate.toString()}`, ...(version === undefined ? {} : { version }) }
}

/**
 * Returns the node of a position: `"node"`, or `["node", 1]` after its call has returned. The position is longer while the agent
 * prepares.
 */
export function nodeAt(position: Json | undefined): string | undefined {
  if (typeof position === 'string') return position
  return Array.isArray(position) && typeof position[0] === 'string' ? position[0] : undefined
}

/** True if the call of the node has returned, so that the next step is the decision. */
export function hasReturned(position: Json | undefined): boolean {
  return Array.isArray(position) && position[1] === 1
}

/** Returns a value that is an object, else an empty object. */
export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

/** Returns a value that is a text, else an empty text. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
