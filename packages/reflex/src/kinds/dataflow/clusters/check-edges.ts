import { didYouMean, once, type Path, quote, quoteAll, type Suggester, suggester } from '../../../text/index.ts'
import { edgeText } from '../documents/write.ts'
import type { ClusterEdge, PortRef } from '../model/document.ts'
import { hasPort, inputType, type LinkedEdge, type LinkedNode, type LinkedPort, portNames } from './linked.ts'
import type { DefinitionReport } from './report.ts'

/** Resolves the edges and outputs of one definition, and checks what can be known without the clusters around it. */
export class EdgeChecks {
  readonly #report: DefinitionReport
  readonly #nodes: ReadonlyMap<string, LinkedNode>
  readonly #suggest: () => Suggester
  /** The suggestions of ports, by primitive or cluster and side. */
  readonly #ports = new Map<object, Map<string, Suggester>>()

  constructor(report: DefinitionReport, nodes: ReadonlyMap<string, LinkedNode>) {
    this.#report = report
    this.#nodes = nodes
    this.#suggest = once(() => suggester(nodes.keys()))
  }

  /** Returns the edges with an existing target, each input once: rules D.2, E.3, V.4 and V.7. Inputs without edges are checked in a graph of a bounded size. */
  edges(isRoot: boolean, isBounded: boolean): LinkedEdge[] {
    const { inputs, edges } = this.#report.source.definition
    const declared = new Map(inputs.map((input) => [input.name, input]))
    const rootInputs = new Set<string>()
    const taken = new Set<string>()
    const linked: LinkedEdge[] = []
    for (const [index, authored] of edges.entries()) {
      const from = this.#from(authored, index)
      const to = this.#port(authored.to, 'inputs', 'D.2', ['edges', index, 'to'])
      if ('external' in authored.from && isRoot) this.#rootInput(authored.from.external, index, rootInputs)
      if (to === undefined || this.#isTaken(to, index, taken) || this.#feedsNothing(to, index)) continue
      if (from !== undefined && 'external' in from) this.#inputType(declared.get(from.external)?.type, to, index)
      linked.push({ index, authored, from: isRoot && 'external' in authored.from ? undefined : from, to })
    }
    if (isBounded) for (const node of this.#nodes.values()) this.#unwired(node, taken)
    return linked
  }

  /** Returns the outputs that exist: rule D.4. */
  outputs(): Map<string, LinkedPort> {
    const found = new Map<string, LinkedPort>()
    for (const { name, from } of this.#report.source.definition.outputs) {
      const port = this.#port(from, 'outputs', 'D.4', ['outputs', name])
      if (port !== undefined) found.set(name, port)
    }
    return found
  }

  #from({ from }: ClusterEdge, index: number): LinkedEdge['from'] {
    return 'external' in from ? from : this.#port(from, 'outputs', 'D.2', ['edges', index, 'from'])
  }

  #port(ref: PortRef, side: 'inputs' | 'outputs', rule: 'D.2' | 'D.4', path: Path): LinkedPort | undefined {
    const node = this.#nodes.get(ref.node)
    const what = rule === 'D.2' ? 'the edge' : `the output ${quote(String(path[1]))}`
    if (node === undefined) {
      const guess = this.#suggest()(ref.node)
      this.#report.add('R1322', `${what} names the node ${quote(ref.node)}, which does not exist`, [...path, 'node'], {
        rule,
        note: didYouMean(guess),
        fix: guess === undefined ? 'write the name of a node of this cluster' : `write ${quote(guess)}`,
      })
      return undefined
    }
    if (node.target === undefined) return undefined
    if (hasPort(node.target, side, ref.port)) return { node, port: ref.port }
    const names = portNames(node.target, side)
    if (side === 'inputs' && 'primitive' in node.target && node.target.primitive.kind === 'source') {
      const message = `the edge leads into ${quote(ref.node)}, and a source takes no edges`
      this.#report.add('R1325', message, path, { rule: 'V.2', fix: 'use a compute in its place, or set a parameter of the source' })
      return undefined
    }
    const guess = this.#suggestPort(node.target, side, names)(ref.port)
    const noun = side.slice(0, -1)
    const known = names.length === 0 ? `${quote(node.authored.target)} has no ${side}` : `write one of ${quoteAll(names)}`
    this.#report.add(
      'R1322',
      `${what} names the ${noun} ${quote(ref.port)} of ${quote(ref.node)}, which does not exist`,
      [...path, 'port'],
      {
        rule,
        note: didYouMean(guess),
        fix: guess === undefined ? known : `write ${quote(guess)}`,
      },
    )
    return undefined
  }

  #suggestPort(target: NonNullable<LinkedNode['target']>, side: string, names: readonly string[]): Suggester {
    const owner = 'primitive' in target ? target.primitive : target.cluster
    const known = this.#ports.get(owner) ?? new Map<string, Suggester>()
    this.#ports.set(owner, known)
    const found = known.get(side) ?? suggester(names)
    known.set(side, found)
    return found
  }

  #rootInput(name: string, index: number, reported: Set<string>): void {
    if (reported.has(name)) return
    reported.add(name)
    this.#report.add(
      'R1321',
      `the input ${quote(name)} has nothing that feeds it: this is a graph, and no cluster is around it`,
      ['edges', index, 'from'],
      {
        rule: 'E.3',
        fix: 'read the value with a source such as context_number_source',
      },
    )
  }

  #isTaken({ node: { authored }, port }: LinkedPort, index: number, taken: Set<string>): boolean {
    const key = `${authored.id}.${port}`
    if (!taken.has(key)) {
      taken.add(key)
      return false
    }
    this.#report.add('R1323', `${quote(key)} has an edge already`, ['edges', index, 'to'], {
      rule: 'V.7',
      fix: 'remove one of the edges, or combine the values in a compute',
    })
    return true
  }

  /** Reports an edge into an input of a cluster that no node of the cluster takes. */
  #feedsNothing({ node, port }: LinkedPort, index: number): boolean {
    const { target } = node
    if (target === undefined || 'primitive' in target) return false
    const { definition } = target.cluster.source
    if (target.cluster.fed.has(port)) return false
    this.#report.add(
      'R1321',
      `the input ${quote(port)} of ${quote(node.authored.id)} feeds no node of cluster ${definition.id}@${definition.version}`,
      ['edges', index, 'to'],
      {
        rule: 'E.3',
        fix: 'remove the edge, or use the input in the cluster',
      },
    )
    return true
  }

  /** Checks that an input has the type of what it feeds. */
  #inputType(type: string | undefined, to: LinkedPort, index: number): void {
    const expected = inputType(to)
    if (type === undefined || expected === undefined || type === expected) return
    const { definition } = this.#report.source
    const edge = definition.edges[index]
    this.#report.add(
      'R1327',
      `the edge ${edge === undefined ? '' : edgeText(edge)} joins the type ${type} to ${expected}`,
      ['edges', index],
      {
        rule: 'V.4',
        note: `${type} to ${expected}`,
        fix: `declare the input as ${expected}`,
      },
    )
  }

  /** Reports the required inputs of a cluster that no edge leads into: rule V.3. Those of primitives are checked in the whole graph. */
  #unwired({ authored, target }: LinkedNode, taken: ReadonlySet<string>): void {
    if (target === undefined || 'primitive' in target) return
    for (const { name, required } of target.cluster.source.definition.inputs) {
      if (!required || taken.has(`${authored.id}.${name}`)) continue
      this.#report.add('R1326', `${quote(authored.id)} has no edge into its input ${quote(name)}`, ['nodes', authored.id], {
        rule: 'V.3',
        part: 'key',
        note: `${quote(name)} is not connected`,
        fix: `add an edge "… -> ${authored.id}.${name}"`,
      })
    }
  }
}
