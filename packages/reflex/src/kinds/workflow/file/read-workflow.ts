import type { Fault, Json } from '../../../kernel/index.ts'
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
} from '../../../text/index.ts'
import { faults } from '../model/faults.ts'
import { knownVersions } from '../guards/find-function.ts'
import { guardForm } from '../guards/guard-forms.ts'
import { workflowFile } from './file-schema.ts'
import type { Edge, Guard, GuardRegistry, LoadWorkflowOptions, Node, Workflow } from '../types/index.ts'
import { validateWorkflow } from '../check/validate.ts'
import { errorFindings, verificationFindings, type Effects, type Lookup } from '../check/verify.ts'

/**
 * The extent of proofs. `all`: everything. `alone`: everything, but only for a workflow that calls nothing. `errors`: only what
 * refuses the workflow; this costs almost nothing, and it is all that can be proved of a calling workflow before its callees are
 * known.
 */
export type ProofLevel = 'all' | 'alone' | 'errors'

export interface ReadWorkflowOptions extends LoadWorkflowOptions {
  /** Finds the workflows that this one invokes. Without it they are not checked. */
  readonly lookup?: Lookup
  /** True if a program of any kind exists, for calls of `kind:id`. Default: `lookup` decides. */
  readonly hasProgram?: ((id: string) => boolean) | undefined
  /** Returns the reads and writes of agents, read from their specs. Without it the declarations of nodes are used. */
  readonly effects?: Effects | undefined
  readonly proofs?: ProofLevel | undefined
  /** Returns the names of workflows that can be invoked, for suggestions. Called only if one is missing. */
  readonly names?: (() => Iterable<string>) | undefined
}

/** A workflow, unless it has errors, and all findings in the order of the file. */
export interface ReadWorkflowResult {
  readonly workflow?: Workflow
  readonly findings: readonly Fault[]
  /** If the workflow has errors, its nodes and edges of the right shape: their specs can still be checked. */
  readonly validParts?: Workflow
  /** Returns the place of a part in the text. */
  readonly locate?: Locator
}

/**
 * Reads a workflow from JSON with comments, and finds all its mistakes at once: syntax, shape, structure, guard names and
 * declarations, each with file, line, column and code frame. Never throws.
 */
export function readWorkflow(text: string, file?: string, options: ReadWorkflowOptions = {}): ReadWorkflowResult {
  const json = readJson(text, file ?? options.file, { rule: 'SCHEMA_VIOLATION' })
  if (json.value === undefined) return { findings: json.findings }
  const locate: Locator = (path, at) => json.details(path, at)
  const shape = shapeFindings(json.value, locate)
  const built = shape.length === 0 ? buildWorkflow(json.value, options.guards, locate) : undefined
  // The structure of an invalid file is checked too, for all nodes and edges of the right shape.
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

/** True if more than the refusing findings is proved of a workflow. */
function provesAll({ nodes }: Workflow, proofs: ProofLevel = 'all'): boolean {
  return proofs === 'all' || (proofs === 'alone' && Object.values(nodes).every(({ invokes }) => invokes === undefined))
}

/** Codes that the schema check reports better: parts of the wrong shape, and unknown types of guard. */
const SCHEMA_CODES: readonly string[] = ['R1048', 'R1058']

function structureFindings(workflow: Workflow, locate: Locator, { lookup, hasProgram, names }: ReadWorkflowOptions): Fault[] {
  if (!isRecord(workflow) || !isRecord(workflow.nodes) || !Array.isArray(workflow.edges)) return []
  const isKnown = hasProgram ?? ((id: string) => lookup?.(id) !== undefined)
  const isRegistered = lookup === undefined ? undefined : (id: string) => id !== workflow.id && isKnown(id)
  return validateWorkflow(workflow, { locate, isRegistered, names }).filter((finding) => !SCHEMA_CODES.includes(finding.code))
}

/** Returns the findings about the shape of a workflow in JSON: `R1011` to `R1014`, one for each mistake. */
export function shapeFindings(value: unknown, locate: Locator = pathOnly): Fault[] {
  const findings = checkSchema(workflowFile(), value, { locate, rule: 'SCHEMA_VIOLATION', advise })
  const nodes = isRecord(value) ? value.nodes : undefined
  if (!isRecord(nodes) || !Object.hasOwn(nodes, '__proto__')) return findings
  const place = locate(['nodes', '__proto__'], { part: 'key' })
  return [
    ...findings,
    faults.make('R1057', 'a node must not be named "__proto__"', { rule: 'SCHEMA_VIOLATION', ...place, fix: 'give the node another id' }),
  ]
}

/** Returns the advice for an unknown attribute of a node, which is usually meant for its agent. */
function advise(path: Path): string | undefined {
  return path[0] === 'nodes' && path.length === 2 ? 'move it into "spec" if the agent reads it, or remove it' : undefined
}

/**
 * Returns the workflow of a value that fits the schema. Specs and declarations are those of the value, not copies. The findings
 * are guards with unknown functions; their edges are kept without a guard.
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
  const { name = '', version } = edge.guard?.type === 'custom' ? edge.guard : {}
  const versions = knownVersions(functions, name)
  if (versions.length > 0) return unknownVersion(edge, index, { name, version, versions }, locate)
  const known = Object.keys(functions)
  const meant = suggest(name, known)
  const path = ['edges', index, 'guard', 'name']
  return faults.make('R1049', `edge ${quote(edge.id)} names the guard ${quote(name)}, which does not exist`, {
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

interface WantedVersion {
  readonly name: string
  readonly version: string | undefined
  readonly versions: readonly string[]
}

function unknownVersion(edge: Edge, index: number, { name, version, versions }: WantedVersion, locate: Locator): Fault {
  const path = ['edges', index, 'guard', 'version']
  return faults.make(
    'R1049',
    `edge ${quote(edge.id)} names the guard ${quote(name)} in version ${quote(version ?? '')}, which does not exist`,
    {
      rule: 'UNKNOWN_GUARD_REFERENCE',
      path: pathText(path),
      ...locate(path, {}),
      fix: `name one of ${quoteAll(versions)}, or pass this version in \`guards\``,
      data: { edgeId: edge.id, guardName: name, versions: [...versions] },
    },
  )
}

function isRecord(value: unknown): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
