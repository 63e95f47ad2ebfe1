import { type Attributes, type DotEdge, type DotGraph, type DotNode, isOn, numberOf, textOf } from '../dot/graph.ts'
import { factsOf } from './operations.ts'
import type { CanonicalType, DataClass, Idempotency, Resolution, TypedEdge, TypedGraph, TypedNode } from './typed.ts'
import { type CustomHandler, resolveHandler } from './resolve-handler.ts'
import type { Condition } from '../language/condition.ts'
import { parseCondition } from '../language/condition-parse.ts'
import { adjacencyOf } from './adjacency.ts'
import { boundsOf } from './bounds.ts'
import { capabilitiesOf, graphNeeds } from './capabilities.ts'
import { classOf, higherClass } from './classification.ts'
import { cyclesOf } from './cycles.ts'
import { endsOf, type Resolved } from './ends.ts'
import { edgeSubject, Findings } from './findings.ts'
import { joinsOf } from './joins.ts'
import { operationOf } from './operation.ts'
import { reportClasses, reportJoins, reportTaint } from './report-findings.ts'
import { SchemaCheck } from './schema-check.ts'
import { taintOf } from './taint.ts'
import { classesOf } from './thread-key.ts'
import { checkArguments } from '../../../text/index.ts'
import { GRAPH, SOME_OPTIONS } from '../dot/argument-forms.ts'

/** What compiling may know beside the graph. */
export interface CompileOptions {
  /** The text that the graph was parsed from: findings then have lines, columns and code frames. */
  readonly source?: { readonly text: string; readonly file?: string | undefined } | undefined
  /** Handlers that the host registered, by the type name that they take. */
  readonly custom?: ReadonlyMap<string, CustomHandler> | undefined
}

const COMPILED = new WeakMap<DotGraph, TypedGraph>()
const NO_HANDLERS: ReadonlyMap<string, CustomHandler> = new Map()

/**
 * Works out everything that can be known of a pipeline before it runs (seed pipeline 9; reference pipeline 11.1): which
 * handler each node has, what it does and needs, how sensitive it is, where branches join, which cycles there are, which
 * values reach what they should not, and what is wrong with attributes and conditions. Pure and total: it never throws
 * for what a graph says, and takes time in proportion to nodes and edges. What was compiled without options is kept with
 * the graph, so that asking again costs nothing.
 */
export function compileGraph(graph: DotGraph, options: CompileOptions = {}): TypedGraph {
  checkArguments('compileGraph', { graph: [graph, GRAPH], options: [options, SOME_OPTIONS] })
  const isPlain = options.source === undefined && (options.custom === undefined || options.custom.size === 0)
  const known = isPlain ? COMPILED.get(graph) : undefined
  if (known !== undefined) return known
  const typed = new Compilation(graph, options).run()
  if (isPlain) COMPILED.set(graph, typed)
  return typed
}

class Compilation {
  readonly #graph: DotGraph
  readonly #custom: ReadonlyMap<string, CustomHandler>
  readonly #findings: Findings
  readonly #check: SchemaCheck
  readonly #needs = new Map<string, readonly string[]>()

  constructor(graph: DotGraph, { source, custom = NO_HANDLERS }: CompileOptions) {
    this.#graph = graph
    this.#custom = custom
    this.#findings = new Findings(source)
    this.#check = new SchemaCheck(graph, this.#findings)
  }

  run(): TypedGraph {
    const graph = this.#graph
    this.#check.checkGraph()
    const resolved: Resolved[] = []
    for (const [id, node] of graph.nodes) resolved.push({ id, node, resolution: resolveHandler(node, this.#custom) })
    const { changed, ...ends } = endsOf(resolved)
    const nodes = new Map<string, TypedNode>()
    for (const { id, node, resolution } of resolved) nodes.set(id, this.#node(node, changed.get(id) ?? resolution))
    const { outgoing, incoming, targets } = adjacencyOf(graph, this.#edges())
    const { joins, unresolved } = joinsOf({ nodes, outgoing })
    const taint = taintOf({ nodes, outgoing, joins })
    const cycles = cyclesOf([...nodes.keys()], targets)
    reportJoins(this.#findings, graph, unresolved)
    reportTaint(this.#findings, graph, taint)
    reportClasses(this.#findings, { nodes, outgoing })
    const findings = this.#findings.list()
    return { graph, nodes, outgoing, incoming, ...ends, joins, cycles, taint, findings, ...aggregatesOf(graph, nodes) }
  }

  #node(node: DotNode, resolution: Resolution): TypedNode {
    const { attributes } = node
    const shared = this.#graph.attributes
    const operation = operationOf(resolution, attributes)
    const { dataClassification, classified } = classOf(resolution.canonical, attributes)
    return {
      ...resolution,
      operation,
      id: node.id,
      node,
      classes: classesOf(node),
      handlerType: resolution.custom ?? resolution.canonical,
      capabilitiesRequired: capabilitiesOf({ ...resolution, operation, attributes }, shared, this.#custom, this.#needs),
      dataClassification,
      classified,
      idempotency: idempotencyOf(resolution, operation, attributes, this.#custom),
      resourceBounds: boundsOf(resolution, operation, attributes, shared),
      schemaErrors: this.#check.checkNode(node, resolution, operation),
    }
  }

  #edges(): TypedEdge[] {
    return this.#graph.edges.map((edge) => {
      this.#check.checkEdge(edge)
      const condition = this.#condition(edge)
      const read = { edge, weight: numberOf(edge.attributes, 'weight') ?? 0, label: textOf(edge.attributes, 'label') ?? '' }
      return condition === undefined ? read : { ...read, condition }
    })
  }

  #condition(edge: DotEdge): Condition | undefined {
    const attribute = edge.attributes.get('condition')
    if (attribute === undefined) return undefined
    const { condition, problems } = parseCondition(String(attribute.value))
    for (const problem of problems) this.#findings.addProblem(problem, attribute, edgeSubject(edge))
    return condition
  }
}

function aggregatesOf(
  graph: DotGraph,
  nodes: ReadonlyMap<string, TypedNode>,
): Pick<TypedGraph, 'capabilities' | 'dataClassification' | 'handlers'> {
  const needs = new Set(graphNeeds(graph.attributes))
  const handlers = new Map<CanonicalType, string[]>()
  let dataClassification: DataClass = 'public'
  for (const node of nodes.values()) {
    for (const need of node.capabilitiesRequired) needs.add(need)
    dataClassification = higherClass(dataClassification, node.dataClassification)
    const others = handlers.get(node.canonical)
    if (others === undefined) handlers.set(node.canonical, [node.id])
    else others.push(node.id)
  }
  return { capabilities: [...needs].sort(), dataClassification, handlers }
}

/**
 * Whether a node may be executed again (seed pipeline 4.3; reference pipeline 4.1). The author's `idempotent` goes before
 * what the operation says; and an operation is no better than its attributes: text that is added to a file, a request
 * that is no GET, a fan-in that asks a model.
 */
function idempotencyOf(
  { custom }: Resolution,
  operation: string,
  attributes: Attributes,
  handlers: ReadonlyMap<string, CustomHandler>,
): Idempotency {
  if (attributes.has('idempotent')) return isOn(attributes, 'idempotent') ? 'idempotent' : 'side_effecting'
  if (custom !== undefined) return handlers.get(custom)?.idempotency ?? 'side_effecting'
  if (operation === 'file.write' && isOn(attributes, 'append')) return 'side_effecting'
  if (operation === 'read.api' && !/^(get|head)?$/i.test(textOf(attributes, 'method')?.trim() ?? '')) return 'side_effecting'
  if (operation === 'fan_in' && attributes.has('prompt')) return 'idempotent_with_key'
  return factsOf(operation).idempotency
}
