import { type FaultDetails, isObject } from '../../../kernel/index.ts'
import { readJson } from '../../../text/index.ts'
import type { LocateTarget } from '../../../programs/language.ts'
import type { ClusterEdge, PortRef } from '../model/document.ts'
import { documentLocator } from './places.ts'
import { decodeDefinition } from './read.ts'

/**
 * Returns the place of a node or an edge in the text of a document. A node inside a cluster, `once_a/gate`, is at the node of the cluster,
 * `once_a`. An edge is named as `a.port -> b.port`; inside a cluster it is at the node of the cluster. Never throws.
 */
export function locateInDefinition(text: string, file: string | undefined, { edge, node }: LocateTarget, note?: string): FaultDetails {
  const json = readJson(text, file)
  const { value } = json
  const locate = documentLocator(value, json)
  const [from, to] = (edge ?? '').split(' -> ')
  if (from !== undefined && to !== undefined) {
    const edges = decodeDefinition(value).source?.definition.edges ?? []
    const index = edges.findIndex((one) => isEdge(one, from, to))
    if (index >= 0) return locate(['edges', index], { note })
  }
  const name = (node ?? from ?? '').split(/[/.]/, 1)[0] ?? ''
  const isNode = isObject(value) && isObject(value.nodes) && Object.hasOwn(value.nodes, name)
  return isNode ? locate(['nodes', name], { note, part: 'key' }) : locate([], { note })
}

/** True for the edge of a document that an edge between primitives comes from. */
function isEdge(edge: ClusterEdge, from: string, to: string): boolean {
  return 'node' in edge.from && isEnd(edge.from, from) && isEnd(edge.to, to)
}

function isEnd({ node, port }: PortRef, text: string): boolean {
  // The ports of a cluster have names of their own.
  return text === `${node}.${port}` || text.startsWith(`${node}/`)
}
