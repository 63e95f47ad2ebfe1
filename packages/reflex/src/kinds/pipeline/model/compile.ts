import { type Attributes, type DotEdge, type DotGraph, type DotNode, isOn, numberOf, textOf } from '../dot/graph.ts'
import type { DataClass, TypedEdge, TypedGraph, TypedNode } from './typed.ts'
import type { CanonicalType, Idempotency, Resolution } from './resolution.ts'
import { resolveHandler } from './resolve-handler.ts'
import type { Condition } from '../language/condition.ts'
import { type ParsedCondition, parseCondition } from '../language/condition-parse.ts'
import { adjacencyOf } from './adjacency.ts'
import { graphNeeds, NodeCapabilities } from './capabilities.ts'
import { classOf, higherClass } from './classification.ts'
import { cyclesOf } from './cycles.ts'
import { endsOf, type Resolved } from './ends.ts'
import { Findings } from './findings.ts'
import { joinsOf } from './joins.ts'
import type { OperationFacts } from './operation-facts.ts'
import type { OperationTable } from './operation-table.ts'
import { reportClasses, reportJoins, reportTaint } from './report-findings.ts'
import { SchemaCheck } from './schema-check.ts'
import { taintOf } from './taint.ts'
import { classesOf } from './thread-key.ts'
import { WrittenNode } from './written-node.ts'
import { NodeBounds } from './resource-bounds.ts'

/** The input of compiling, in addition to the graph. */
export interface CompileContext {
  readonly operations: OperationTable
  /** The text that the graph was parsed from. It gives findings lines, columns and code frames. */
  readonly source?: { readonly text: string; readonly file?: string | undefined } | undefined
}

/** The cache of results without a text, by table and graph. */
const COMPILED = new WeakMap<OperationTable, WeakMap<DotGraph, TypedGraph>>()

/**
 * Computes everything that is known about a pipeline before it runs (seed pipeline 9; reference pipeline 11.1): handlers,
 * operations, capabilities, sensitivity, joins, cycles, taint, and findings about attributes and conditions. Pure, and never
 * throws for any graph. Runs in time linear in nodes and edges.
 */
export function compile(graph: DotGraph, { operations, source }: CompileContext): TypedGraph {
  if (source !== undefined) return new Compilation(graph, operations, source).run()
  const kept = COMPILED.get(operations) ?? new WeakMap<DotGraph, TypedGraph>()
  COMPILED.set(operations, kept)
  const typed = kept.get(graph) ?? new Compilation(graph, operations).run()
  kept.set(graph, typed)
  return typed
}

class Compilation {
  readonly #graph: DotGraph
  readonly #operations: OperationTable
  readonly #findings: Findings
  readonly #check: SchemaCheck
  readonly #capabilities: NodeCapabilities
  readonly #bounds: NodeBounds
  readonly #conditions = new Map<string, ParsedCondition>()

  constructor(graph: DotGraph, operations: OperationTable, source?: CompileContext['source']) {
    this.#graph = graph
    this.#operations = operations
    this.#findings = new Findings(source)
    this.#check = new SchemaCheck(graph, operations, this.#findings)
    this.#capabilities = new NodeCapabilities(graph.attributes, operations)
    this.#bounds = new NodeBounds(graph.attributes)
  }

  run(): TypedGraph {
    const graph = this.#graph
    this.#check.checkGraph()
    const resolved = this.#resolved()
    const { changed, ...ends } = endsOf(resolved)
    const nodes = this.#nodes(resolved, changed)
    const { outgoing, incoming, targets } = adjacencyOf(graph, this.#edges())
    const { joins, unresolved } = joinsOf({ nodes, outgoing })
    const attributeNames = this.#check.names
    const taint = taintOf({ nodes, outgoing, joins, attributeNames })
    const cycles = cyclesOf([...nodes.keys()], targets)
    reportJoins(this.#findings, graph, unresolved)
    reportTaint(this.#findings, graph, taint)
    reportClasses(this.#findings, { nodes, outgoing })
    const findings = this.#findings.list()
    return {
      graph,
      operations: this.#operations,
      nodes,
      outgoing,
      incoming,
      attributeNames,
      ...ends,
      joins,
      cycles,
      taint,
      findings,
      ...aggregatesOf(graph, nodes),
    }
  }

  #resolved(): Resolved[] {
    const resolved: Resolved[] = []
    for (const [id, node] of this.#graph.nodes) resolved.push({ id, node, resolution: resolveHandler(node, this.#operations) })
    return resolved
  }

  #nodes(resolved: readonly Resolved[], changed: ReadonlyMap<string, Resolution>): Map<string, TypedNode> {
    const nodes = new Map<string, TypedNode>()
    for (const { id, node, resolution } of resolved) nodes.set(id, this.#node(node, changed.get(id) ?? resolution))
    return nodes
  }

  #node(node: DotNode, resolution: Resolution): TypedNode {
    const { attributes } = node
    const { canonical, rawType, by, injected, custom, unknown } = resolution
    const operation = this.#operations.types.operationOf(resolution, attributes)
    const facts = this.#operations.facts(operation)
    const { dataClassification, classified } = classOf(canonical, attributes)
    // Without a spread, which would copy the node several times: pipelines have ten thousand of them.
    const typed: TypedNode = {
      canonical,
      rawType,
      by,
      injected,
      operation,
      facts,
      id: node.id,
      node,
      classes: classesOf(node),
      handlerType: custom ?? canonical,
      capabilitiesRequired: this.#capabilities.of({ canonical, rawType, custom, facts, attributes }),
      dataClassification,
      classified,
      idempotency: this.#idempotency(resolution, facts, attributes),
      resourceBounds: this.#bounds.of(canonical, facts, attributes),
      schemaErrors: this.#check.checkNode(node, resolution, operation),
    }
    return custom === undefined && unknown === undefined ? typed : { ...typed, ...resolution }
  }

  /**
   * Returns the idempotency of a node (seed pipeline 4.3; reference pipeline 4.1): the author's `idempotent` wins over that of
   * the operation, and the attributes of a node can change that of the operation.
   */
  #idempotency({ custom }: Resolution, facts: OperationFacts, attributes: Attributes): Idempotency {
    if (attributes.has('idempotent')) return isOn(attributes, 'idempotent') ? 'idempotent' : 'side_effecting'
    if (custom !== undefined) return this.#operations.custom.get(custom)?.idempotency ?? 'side_effecting'
    return facts.repeats?.(new WrittenNode(attributes)) ?? facts.repeat
  }

  #edges(): TypedEdge[] {
    return this.#graph.edges.map((edge) => {
      this.#check.checkEdge(edge)
      const condition = this.#condition(edge)
      const weight = numberOf(edge.attributes, 'weight') ?? 0
      const label = textOf(edge.attributes, 'label') ?? ''
      return condition === undefined ? { edge, weight, label } : { edge, weight, label, condition }
    })
  }

  #condition(edge: DotEdge): Condition | undefined {
    const attribute = edge.attributes.get('condition')
    if (attribute === undefined) return undefined
    const { condition, problems } = this.#parsed(String(attribute.value))
    for (const problem of problems) this.#findings.addProblem(problem, attribute, edge)
    return condition
  }

  /** Parses each text once: edges of one pipeline often have the same condition. */
  #parsed(text: string): ParsedCondition {
    const known = this.#conditions.get(text)
    if (known !== undefined) return known
    const parsed = parseCondition(text)
    this.#conditions.set(text, parsed)
    return parsed
  }
}

function aggregatesOf(
  graph: DotGraph,
  nodes: ReadonlyMap<string, TypedNode>,
): Pick<TypedGraph, 'capabilities' | 'dataClassification' | 'handlers'> {
  const needs = new Set(graphNeeds(graph.attributes))
  const handlers = new Map<CanonicalType, string[]>()
  let dataClassification: DataClass = 'public'
  let before: readonly string[] | undefined
  for (const node of nodes.values()) {
    // Nodes with the same needs share one list.
    if (node.capabilitiesRequired !== before) for (const need of node.capabilitiesRequired) needs.add(need)
    before = node.capabilitiesRequired
    dataClassification = higherClass(dataClassification, node.dataClassification)
    const others = handlers.get(node.canonical)
    if (others === undefined) handlers.set(node.canonical, [node.id])
    else others.push(node.id)
  }
  return { capabilities: [...needs].sort(), dataClassification, handlers }
}
