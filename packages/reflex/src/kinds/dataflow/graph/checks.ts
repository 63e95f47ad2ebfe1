import { quote } from '../../../text/index.ts'
import type { ExpandedEdge, ExpandedNode } from '../clusters/emit.ts'
import type { ExpandedGraph } from '../clusters/expand.ts'
import { DefinitionReport, type FindingDetails, type Report } from '../clusters/report.ts'
import type { DefinitionSource } from '../documents/read.ts'
import { edgeText } from '../documents/write.ts'
import { nodeName } from '../model/graph.ts'
import type { InputPort } from '../model/manifest.ts'
import { doubleKeys } from './keys.ts'
import { canFeed, wiringFix } from './wiring.ts'

/** Checks the edges and nodes of an expanded graph: rules V.2 to V.5 and ACT-14. */
export class GraphChecks {
  readonly #graph: ExpandedGraph
  readonly #report: Report
  readonly #reported = new Map<DefinitionSource, Set<string>>()
  /** The connected inputs of each node. */
  readonly #connected: readonly Set<string>[]

  constructor(graph: ExpandedGraph, report: Report) {
    this.#graph = graph
    this.#report = report
    this.#connected = graph.nodes.map(() => new Set<string>())
  }

  run(): void {
    for (const edge of this.#graph.edges) {
      this.#connected[edge.to.node]?.add(edge.to.port)
      if (edge.from !== undefined) this.#checkEdge(edge, edge.from)
    }
    for (const [index, node] of this.#graph.nodes.entries()) {
      this.#checkInputs(node, this.#connected[index] ?? new Set())
      for (const { key, parameters } of doubleKeys(node)) {
        const message = `${quote(nodeName(node))} writes the key ${quote(key)} twice, which ${parameters.map(quote).join(' and ')} name`
        this.#addNode('R1329', node, key, message, { rule: 'ACT-14', fix: 'name different keys' })
      }
    }
  }

  #checkEdge(edge: ExpandedEdge, from: NonNullable<ExpandedEdge['from']>): void {
    const start = this.#graph.nodes[from.node]
    const end = this.#graph.nodes[edge.to.node]
    const input = end === undefined ? undefined : inputOf(end, edge.to.port)
    if (start === undefined || end === undefined || input === undefined) return
    const { kind } = start.primitive
    const output = start.primitive.manifest.outputs.find(({ name }) => name === from.port)
    const ends = this.#edgeName(edge, start, end)
    if (!canFeed(kind, end.primitive.kind, input.type)) {
      const port = end.primitive.kind === 'action' ? `the ${input.type} input of an action` : article(end.primitive.kind)
      this.#addEdge('R1325', edge, `${ends}: ${article(kind)} cannot feed ${port}`, {
        rule: 'V.2',
        note: `${kind} to ${end.primitive.kind}`,
        fix: wiringFix(kind, end.primitive.kind, input.type),
      })
    }
    // The type of an input of a cluster is compared with what it feeds where the cluster is written.
    const expected = edge.type ?? input.type
    if (output !== undefined && output.type !== expected)
      this.#addEdge('R1327', edge, `${ends}: the output is of type ${output.type}, and the input is of type ${expected}`, {
        rule: 'V.4',
        note: `${output.type} to ${expected}`,
        fix: `connect an output of type ${expected}, or convert the value in a compute`,
      })
  }

  #checkInputs(node: ExpandedNode, connected: ReadonlySet<string>): void {
    const { inputs } = node.primitive.manifest
    const name = quote(nodeName(node))
    const isUngated = node.primitive.kind === 'action' && !inputs.some((input) => input.type === 'Event' && connected.has(input.name))
    for (const input of inputs) {
      // That nothing decides about an action is one mistake, not one for each of its Event inputs.
      if (input.required === false || connected.has(input.name) || (isUngated && input.type === 'Event')) continue
      this.#addNode('R1326', node, input.name, `${name} has no edge into its input ${quote(input.name)}`, {
        rule: 'V.3',
        note: `${quote(input.name)} is not connected`,
        fix: `add an edge "… -> ${node.path.at(-1)?.[1] ?? ''}.${input.name}"`,
      })
    }
    if (isUngated)
      this.#addNode('R1328', node, '', `no trigger decides about the action ${name}`, {
        rule: 'V.5',
        note: 'no edge from a trigger',
        fix: 'add a trigger, and an edge from it into an Event input',
      })
  }

  #edgeName({ source, index }: ExpandedEdge, start: ExpandedNode, end: ExpandedNode): string {
    const edge = source.definition.edges[index]
    return edge === undefined ? `${nodeName(start)} -> ${nodeName(end)}` : edgeText(edge)
  }

  #addEdge(code: 'R1325' | 'R1327', { source, index }: ExpandedEdge, message: string, details: FindingDetails): void {
    if (this.#isNew(source, `${code} ${index}`)) this.#at(source).add(code, message, ['edges', index], details)
  }

  #addNode(code: 'R1326' | 'R1328' | 'R1329', node: ExpandedNode, part: string, message: string, details: FindingDetails): void {
    const name = node.path.at(-1)?.[1] ?? ''
    if (!this.#isNew(node.source, `${code} ${name} ${part}`)) return
    this.#at(node.source).add(code, message, ['nodes', name], { part: 'key', ...details })
  }

  /** True for the first finding of a kind at a place: a cluster can be used many times. */
  #isNew(source: DefinitionSource, key: string): boolean {
    const reported = this.#reported.get(source) ?? new Set<string>()
    this.#reported.set(source, reported)
    if (reported.has(key)) return false
    reported.add(key)
    return true
  }

  #at(source: DefinitionSource): DefinitionReport {
    return new DefinitionReport(this.#report, source, source === this.#graph.source ? 0 : 1)
  }
}

function inputOf(node: ExpandedNode, port: string): InputPort | undefined {
  return node.primitive.manifest.inputs.find(({ name }) => name === port)
}

function article(kind: string): string {
  return kind === 'action' ? 'an action' : `a ${kind}`
}
