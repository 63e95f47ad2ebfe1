import { didYouMean, quote, quoteAll, type Suggester, suggester } from '../../../text/index.ts'
import type { DefinitionSource } from '../documents/read.ts'
import type { Catalog } from '../manifests/catalog.ts'
import type { ClusterNode } from '../model/document.ts'
import { checkBindings } from './check-bindings.ts'
import { checkDefinition } from './check-definition.ts'
import { EdgeChecks } from './check-edges.ts'
import type { ClusterLibrary } from './library.ts'
import { type LinkedCluster, type LinkedNode, parametersOf, sizeOf } from './linked.ts'
import { DefinitionReport, type Report } from './report.ts'
import { checkSignature } from './signature.ts'
import { type Selection, selectVersion } from './versions.ts'

const MAX_DEPTH = 256
/** The limit on the work of an expansion. */
export const MAX_CELLS = 8_000_000

export interface LinkOptions {
  readonly clusters: ClusterLibrary
  readonly catalog: Catalog
}

/** Resolves the nodes of a graph and of each cluster that it uses, once for each definition, and reports what is wrong in each. */
export function link(root: DefinitionSource, { clusters, catalog }: LinkOptions, report: Report): LinkedCluster {
  // A cluster that uses the root contains itself; it must not be reported as missing.
  return new Linker(clusters.with(root), catalog, report).link(root)
}

class Linker {
  readonly #clusters: ClusterLibrary
  readonly #catalog: Catalog
  readonly #report: Report
  readonly #linked = new Map<string, LinkedCluster>()
  readonly #selected = new Map<string, Selection | undefined>()
  /** The clusters around the current one, outermost first, each with the node that uses the next. */
  readonly #open: { readonly key: string; node: string }[] = []
  #definitions = 0
  #suggestions: { readonly impl: Suggester; readonly cluster: Suggester } | undefined

  constructor(clusters: ClusterLibrary, catalog: Catalog, report: Report) {
    this.#clusters = clusters
    this.#catalog = catalog
    this.#report = report
  }

  link(source: DefinitionSource): LinkedCluster {
    const { definition } = source
    const isRoot = this.#open.length === 0
    const report = new DefinitionReport(this.#report, source, this.#definitions++)
    checkDefinition(report)
    const place = { key: `${definition.id}@${definition.version}`, node: '' }
    this.#open.push(place)
    const exposable = new Map(definition.parameters.map((parameter) => [parameter.name, parameter]))
    const nodes: LinkedNode[] = []
    let [size, cells, depth] = [0, 0, 1]
    for (const authored of definition.nodes.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      place.node = authored.id
      const target = this.#target(report, authored)
      nodes.push({ authored, target, offset: size })
      if (target === undefined) continue
      const parameters = parametersOf(target)
      size += sizeOf(target)
      cells += sizeOf(target) + parameters.length
      if ('cluster' in target) {
        cells += target.cluster.cells + target.cluster.inputs.size
        depth = Math.max(depth, target.cluster.depth + 1)
      }
      // A graph that is too large is refused; to check each binding of it would take too long.
      if (cells <= MAX_CELLS) checkBindings(report, authored, parameters, exposable)
    }
    this.#open.pop()
    const byName = new Map(nodes.map((node) => [node.authored.id, node]))
    const checks = new EdgeChecks(report, byName)
    const cluster: LinkedCluster = {
      source,
      nodes,
      byName,
      edges: checks.edges(isRoot, cells <= MAX_CELLS),
      outputs: checks.outputs(),
      inputs: new Map(definition.inputs.map((input) => [input.name, input])),
      outputNames: new Set(definition.outputs.map(({ name }) => name)),
      fed: new Set(definition.edges.flatMap(({ from }) => ('external' in from ? [from.external] : []))),
      size,
      cells,
      depth,
    }
    checkSignature(report, cluster)
    return cluster
  }

  #target(report: DefinitionReport, node: ClusterNode): LinkedNode['target'] {
    const version = this.#version(report, node)
    if (version === undefined) return undefined
    if (node.is === 'impl') {
      const primitive = this.#catalog.get(node.target, version)
      return primitive === undefined ? undefined : { primitive }
    }
    const source = this.#clusters.get(node.target, version)
    return source === undefined ? undefined : this.#nested(report, node, source)
  }

  #nested(report: DefinitionReport, node: ClusterNode, source: DefinitionSource): LinkedNode['target'] {
    const key = `${node.target}@${source.definition.version}`
    const again = this.#open.findIndex((open) => open.key === key)
    if (again >= 0) {
      const way = this.#open.slice(again).map((open) => `${open.key} (node ${quote(open.node)})`)
      report.add('R1317', `cluster ${key} contains itself: ${[...way, key].join(' → ')}`, ['nodes', node.id, 'target'], {
        fix: 'remove one of these nodes',
      })
      return undefined
    }
    const cluster = this.#open.length >= MAX_DEPTH ? undefined : (this.#linked.get(key) ?? this.link(source))
    if (cluster !== undefined) this.#linked.set(key, cluster)
    if (cluster !== undefined && this.#open.length + cluster.depth <= MAX_DEPTH) return { cluster }
    report.add('R1318', `clusters are nested more than ${MAX_DEPTH} levels deep`, ['nodes', node.id, 'target'], { fix: 'use fewer levels' })
    return undefined
  }

  /** Returns the version that a selector selects: rules V.8, E.9 and I.6. */
  #version(report: DefinitionReport, node: ClusterNode): string | undefined {
    const { is, target, selector } = node
    const versions = (is === 'impl' ? this.#catalog : this.#clusters).versions(target)
    if (versions.length === 0) {
      this.#missing(report, node)
      return undefined
    }
    const key = `${is} ${target}@${selector}`
    const selected = this.#selected.has(key) ? this.#selected.get(key) : selectVersion(versions, selector)
    this.#selected.set(key, selected)
    if (selected?.version !== undefined) return selected.version
    const latest = versions.at(-1) ?? ''
    const message =
      selected === undefined
        ? `${quote(selector)} is neither a version nor a range`
        : `no version of ${quote(target)} fits ${quote(selector)}; there are ${quoteAll(versions)}`
    report.add('R1315', message, ['nodes', node.id, 'selector'], { rule: 'I.6', fix: `write "${target}@^${latest}"` })
    return undefined
  }

  #missing(report: DefinitionReport, { id, is, target }: ClusterNode): void {
    this.#suggestions ??= { impl: suggester(this.#catalog.ids()), cluster: suggester(this.#clusters.ids()) }
    const guess = this.#suggestions[is](target)
    const isOther = (is === 'impl' ? this.#clusters : this.#catalog).versions(target).length > 0
    const other = is === 'impl' ? 'cluster' : 'impl'
    report.add(
      is === 'impl' ? 'R1320' : 'R1316',
      `there is no ${is === 'impl' ? 'primitive' : 'cluster'} ${quote(target)}`,
      ['nodes', id, 'target'],
      {
        rule: is === 'impl' ? 'V.8' : 'E.9',
        note: isOther ? `it is a ${is === 'impl' ? 'cluster' : 'primitive'}` : didYouMean(guess),
        fix: isOther
          ? `write ${quote(other)} in place of ${quote(is)}`
          : guess === undefined
            ? 'write the id of one that exists'
            : `write ${quote(guess)}`,
      },
    )
  }
}
