import type { Fault } from '../../kernel/journal/fault.ts'
import type { Json } from '../../kernel/journal/json.ts'
import {
  checkSchema,
  didYouMean,
  pathText,
  quote,
  quoteAll,
  readJson,
  suggest,
  pathOnly,
  type Locator,
  type Path,
} from '../../text/index.ts'
import { faults } from './faults.ts'
import { guardForm } from './guard-forms.ts'
import { workflowFile } from './file-schema.ts'
import type { Edge, Guard, GuardRegistry, LoadWorkflowOptions, Node, Workflow } from './types.ts'
import { validateWorkflow } from './validate.ts'
import { errorFindings, verificationFindings, type Effects, type Lookup } from './verify.ts'

/**
 * How much of a workflow is proved: all of it, all of one that calls nothing, or only what refuses it. The last costs next
 * to nothing; of one that calls it is all that can be said before what it calls is known.
 */
export type ProofLevel = 'all' | 'alone' | 'errors'

export interface ReadWorkflowOptions extends LoadWorkflowOptions {
  /** Finds the workflows that this one invokes; without it they are not checked. */
  readonly lookup?: Lookup
  /** Whether a program of any kind is there, for what is invoked by `kind:id`; a workflow is there where `lookup` finds it. */
  readonly hasProgram?: ((id: string) => boolean) | undefined
  /** What those who decide read and write, as their specs say it; without it, what nodes declare. */
  readonly effects?: Effects | undefined
  readonly proofs?: ProofLevel | undefined
  /** The names of the workflows that can be invoked, for guesses; asked when one is not there. */
  readonly names?: (() => Iterable<string>) | undefined
}

/** A workflow that was read, unless it has errors, and everything that was found, in the order of the file. */
export interface ReadWorkflowResult {
  readonly workflow?: Workflow
  readonly findings: readonly Fault[]
  /** Of a workflow with errors, the nodes and edges that have the shape of one: their specs can still be checked. */
  readonly validParts?: Workflow
  /** Says where in the text a part of it stands. */
  readonly locate?: Locator
}

/**
 * Reads a workflow from JSON with comments, and finds everything that is wrong with it at once: writing, shape,
 * structure, guard names and declarations, each with file, line, column and code frame. Never throws.
 */
export function readWorkflow(text: string, file?: string, options: ReadWorkflowOptions = {}): ReadWorkflowResult {
  const json = readJson(text, file ?? options.file, { rule: 'SCHEMA_VIOLATION' })
  if (json.value === undefined) return { findings: json.findings }
  const locate: Locator = (path, at) => json.details(path, at)
  const shape = shapeFindings(json.value, locate)
  const built = shape.length === 0 ? buildWorkflow(json.value, options.guards, locate) : undefined
  // Structure is checked in a damaged file too: of nodes and edges, what there is.
  const raw = json.value as unknown as Workflow
  const structure = structureFindings(built?.workflow ?? raw, locate, options)
  const findings = [...json.findings, ...shape, ...(built?.findings ?? []), ...structure]
  const hasErrors = findings.some((finding) => finding.severity === 'error')
  const findProofs = built !== undefined && provesAll(built.workflow, options.proofs) ? verificationFindings : errorFindings
  const proofs = hasErrors || built === undefined ? [] : findProofs(built.workflow, options.lookup, locate, options.effects)
  const all = [...findings, ...proofs].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  const isRefused = hasErrors || proofs.some((finding) => finding.severity === 'error')
  return isRefused || built === undefined
    ? { findings: all, validParts: wellFormedParts(raw), locate }
    : { workflow: built.workflow, findings: all, locate }
}

function wellFormedParts(raw: Workflow): Workflow {
  const { nodes, edges, metadata }: Record<string, Json | undefined> = isRecord(raw) ? raw : {}
  const listed = isRecord(nodes) ? Object.entries(nodes) : []
  const validNodes = listed.flatMap(([id, node]) => (isRecord(node) && isRecord(node.spec) ? [[id, { ...node, id }] as const] : []))
  const validEdges = Array.isArray(edges)
    ? edges.filter((edge) => isRecord(edge) && EDGE_FIELDS.every((end) => typeof edge[end] === 'string'))
    : []
  const parts = { id: '', entry: '', nodes: Object.fromEntries(validNodes), edges: validEdges, ...(isRecord(metadata) ? { metadata } : {}) }
  return parts as unknown as Workflow
}

const EDGE_FIELDS = ['id', 'from', 'to', 'event'] as const

/** Whether more is proved of a workflow than what refuses it. */
function provesAll({ nodes }: Workflow, proofs: ProofLevel = 'all'): boolean {
  return proofs === 'all' || (proofs === 'alone' && Object.values(nodes).every(({ invokes }) => invokes === undefined))
}

/** What the schema reports as well, and better, is left to it: parts without a shape, and unknown types of guard. */
const SCHEMA_CODES: readonly string[] = ['R1048', 'R1058']

function structureFindings(workflow: Workflow, locate: Locator, { lookup, hasProgram, names }: ReadWorkflowOptions): Fault[] {
  if (!isRecord(workflow) || !isRecord(workflow.nodes) || !Array.isArray(workflow.edges)) return []
  const isKnown = hasProgram ?? ((id: string) => lookup?.(id) !== undefined)
  const isRegistered = lookup === undefined ? undefined : (id: string) => id !== workflow.id && isKnown(id)
  return validateWorkflow(workflow, { locate, isRegistered, names }).filter((finding) => !SCHEMA_CODES.includes(finding.code))
}

/** What is wrong with the shape of a workflow in JSON: `R1011` to `R1014`, one fault for each mistake. */
export function shapeFindings(value: unknown, locate: Locator = pathOnly): Fault[] {
  const findings = checkSchema(workflowFile(), value, { locate, rule: 'SCHEMA_VIOLATION', advise })
  const nodes = isRecord(value) ? value.nodes : undefined
  if (!isRecord(nodes) || !Object.hasOwn(nodes, '__proto__')) return findings
  const place = locate(['nodes', '__proto__'], { part: 'key' })
  return [
    ...findings,
    faults.make('R1057', 'no node can be called "__proto__"', { rule: 'SCHEMA_VIOLATION', ...place, fix: 'give the node another id' }),
  ]
}

/** An unknown attribute of a node is most often meant for those who decide there. */
function advise(path: Path): string | undefined {
  return path[0] === 'nodes' && path.length === 2 ? 'move it into "spec" if those who decide read it, or remove it' : undefined
}

/**
 * The workflow of a value that fits the schema; its specs and declarations are those of the value, not copies.
 * Findings are guards whose function is not there; their edges stay, without one.
 */
export function buildWorkflow(
  value: unknown,
  functions: GuardRegistry = {},
  locate: Locator = pathOnly,
): { workflow: Workflow; findings: Fault[] } {
  const file = value as Workflow
  const findings: Fault[] = []
  const edges = file.edges.map((edge, index) => {
    const { guard } = edge
    const resolved = guard === undefined ? undefined : guardForm(guard)?.read(guard, functions)
    if (guard !== undefined && resolved === undefined) findings.push(unknownFunction(edge, index, functions, locate))
    return buildEdge(edge, resolved)
  })
  const nodes = Object.fromEntries(Object.entries(file.nodes).map(([key, node]) => [key, buildNode(node)]))
  const workflow: Workflow = { id: file.id, entry: file.entry, nodes, edges }
  if (file.version !== undefined) workflow.version = file.version
  if (file.board !== undefined) workflow.board = file.board
  if (file.metadata !== undefined) workflow.metadata = file.metadata
  return { workflow, findings }
}

function buildNode({ id, spec, description, invokes, inputs, outputs }: Node): Node {
  const node: Node = { id, spec }
  if (description !== undefined) node.description = description
  if (invokes !== undefined) node.invokes = invokes
  if (inputs !== undefined) node.inputs = inputs
  if (outputs !== undefined) node.outputs = outputs
  return node
}

function buildEdge({ id, from, to, event }: Edge, guard: Guard | undefined): Edge {
  return guard === undefined ? { id, from, to, event } : { id, from, to, event, guard }
}

function unknownFunction(edge: Edge, index: number, functions: GuardRegistry, locate: Locator): Fault {
  const name = edge.guard?.type === 'custom' ? (edge.guard.name ?? '') : ''
  const known = Object.keys(functions)
  const meant = suggest(name, known)
  const path = ['edges', index, 'guard', 'name']
  return faults.make('R1049', `edge ${quote(edge.id)} names the guard ${quote(name)}, which is not there`, {
    rule: 'UNKNOWN_GUARD_REFERENCE',
    path: pathText(path),
    ...locate(path, { note: didYouMean(meant) }),
    fix:
      meant !== undefined
        ? `write ${quote(meant)}`
        : known.length === 0
          ? 'pass its function in `guards`'
          : `name one of ${quoteAll(known)}`,
    data: { edgeId: edge.id, guardName: name },
  })
}

function isRecord(value: unknown): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
