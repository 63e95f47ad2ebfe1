import type { Fault } from '../../../kernel/index.ts'
import { didYouMean, quote, suggest } from '../../../text/index.ts'
import type { DefinitionSource } from '../documents/read.ts'
import { bindingFault, bindParameter } from '../manifests/bind-parameter.ts'
import type { ParameterValue } from '../model/manifest.ts'
import { Emitter, type ExpandedEdge, type ExpandedNode, type ParameterValues } from './emit.ts'
import { isRequired } from './check-bindings.ts'
import { derivedKey } from './derived-key.ts'
import { link, type LinkOptions, MAX_CELLS } from './link.ts'
import { type LinkedCluster, primitiveOf } from './linked.ts'
import { DefinitionReport, Report } from './report.ts'
import { type Signature, signatureOf } from './signature.ts'
import type { GraphOutput } from '../model/graph.ts'

const MAX_NODES = 1_000_000

export interface ExpandOptions extends LinkOptions {
  /** The values of the parameters of the graph. Default: those that it declares. */
  readonly parameters?: Readonly<Record<string, ParameterValue>>
}

/** A graph without clusters. Rules that need the whole graph are checked by `validateGraph`. */
export interface ExpandedGraph {
  readonly source: DefinitionSource
  /** By runtime id; nodes whose primitive does not exist are left out. */
  readonly nodes: readonly ExpandedNode[]
  readonly edges: readonly ExpandedEdge[]
  readonly outputs: readonly GraphOutput[]
  readonly signature: Signature
  /** The rules that are broken so far; `validateGraph` adds its own. */
  readonly report: Report
  /** The errors so far, in the order of the rules. */
  readonly findings: readonly Fault[]
}

/**
 * Replaces each cluster of a graph by its primitives (reference 3.3). Nothing of a cluster remains but the path of each node.
 *
 * Runtime ids follow the names of nodes, so the order of keys in a document changes nothing. Every mistake is found, once for each
 * definition, and the rest is expanded. Definitions are not changed. Takes time linear in the expanded size, and refuses more than 1,000,000
 * nodes before it makes one.
 */
export function expand(root: DefinitionSource, options: ExpandOptions): ExpandedGraph {
  const report = new Report()
  const cluster = link(root, options, report)
  const own = new DefinitionReport(report, root, 0)
  const parameters = rootParameters(own, options.parameters ?? {})
  const isTooLarge = cluster.size > MAX_NODES || cluster.cells > MAX_CELLS
  if (isTooLarge) {
    const message =
      cluster.size > MAX_NODES
        ? `has ${cluster.size.toLocaleString('en')} primitives in its clusters; the limit is ${MAX_NODES.toLocaleString('en')}`
        : 'has too many parameters, inputs and levels in its clusters'
    own.add('R1318', `${quote(root.definition.id)} ${message}`, ['nodes'], { fix: 'use fewer instances of clusters' })
  }
  const emitter = new Emitter()
  if (!isTooLarge) emitter.emit(cluster, parameters)
  const { nodes, edges } = emitter
  return {
    source: root,
    nodes,
    edges,
    outputs: outputsOf(cluster),
    signature: signatureOf(cluster),
    report,
    findings: report.faults(),
  }
}

/** Returns the values of the parameters of the graph: rules I.3, I.4 and I.7 for what the caller states. */
function rootParameters(report: DefinitionReport, stated: Readonly<Record<string, ParameterValue>>): ParameterValues {
  const { id, parameters } = report.source.definition
  const names = parameters.map(({ name }) => name)
  for (const name of Object.keys(stated).sort()) {
    if (names.includes(name)) continue
    const guess = suggest(name, names)
    const hint = didYouMean(guess)
    report.add('R1314', `${quote(id)} has no parameter ${quote(name)}${hint === undefined ? '' : `; ${hint}`}`, ['parameters'], {
      rule: 'I.7',
      fix: guess === undefined ? 'leave it out' : `write ${quote(guess)}`,
    })
  }
  const values = new Map<string, ParameterValue>()
  for (const [index, declared] of parameters.entries()) {
    const { name, type, default: byDefault } = declared
    const path = ['parameters', index]
    if (Object.hasOwn(stated, name)) {
      const bound = bindParameter(declared, stated[name])
      if ('value' in bound) values.set(name, bound.value)
      else report.push(bindingFault(bound.problem, `parameter ${quote(name)} of ${quote(id)}`, report.source.locate(path)))
    } else if (typeof byDefault === 'object') values.set(name, derivedKey([], byDefault.derive_key))
    else if (byDefault !== undefined) values.set(name, byDefault)
    else if (isRequired(declared))
      report.add('R1313', `${quote(id)} is run without its parameter ${quote(name)}`, path, {
        rule: 'I.3',
        fix: `state a value of type ${type}, or declare a default`,
      })
  }
  return values
}

function outputsOf(cluster: LinkedCluster): GraphOutput[] {
  return [...cluster.outputs].flatMap(([name, port]) => {
    const found = primitiveOf(port)
    const type = found?.primitive.manifest.outputs.find((output) => output.name === found.port)?.type
    return found === undefined || type === undefined ? [] : [{ name, node: found.offset, port: found.port, type }]
  })
}
