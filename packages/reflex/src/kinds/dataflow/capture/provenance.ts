import type { HostFile } from '../adapter/host-file.ts'
import type { Adapter } from '../model/adapter.ts'
import type { ValidatedGraph } from '../model/graph.ts'
import { hashJson } from './hash.ts'

/** Returns the identity of an adapter: its name and the hash of its whole text; `none` without one. */
export function adapterProvenance(adapter: Adapter | undefined): string {
  return adapter === undefined ? 'none' : `adapter:${adapter.id}@${adapter.version};sha256:${hashJson(adapter)}`
}

/**
 * Returns the identity of an expanded graph: its id, nodes with resolved versions and parameters, edges, boundary outputs, and the manifests of
 * its primitives with their effects and requirements, and the digests of functions of the host. Names of nodes, the layout of clusters,
 * selectors and descriptions are not in it: they change nothing that a pass does.
 */
export function runtimeProvenance({ id, nodes, edges, outputs }: ValidatedGraph): string {
  const used = nodes.map(({ primitive: { manifest, digest, kind } }) => {
    const { about: _about, parameters, ...facts } = manifest
    const declared = parameters.map(({ bounds: _bounds, ...parameter }) => parameter)
    return [
      `${manifest.id}@${manifest.version}`,
      { ...facts, kind, parameters: declared, ...(digest === undefined ? {} : { digest }) },
    ] as const
  })
  const ends = edges.map(({ from, to }) => `${nodes[from.node]?.id}.${from.port} -> ${nodes[to.node]?.id}.${to.port}`)
  const content = {
    graph_id: id,
    nodes: nodes.map((node) => [node.id, `${node.primitive.manifest.id}@${node.primitive.manifest.version}`, node.params]),
    edges: ends.sort(),
    outputs: outputs.map(({ name, node, port, type }) => [name, `${nodes[node]?.id}.${port}`, type]),
    primitives: Object.fromEntries(used),
  }
  return `rxr1:sha256:${hashJson(content)}`
}

/**
 * Returns the identity of the egress of a run: channels, routes and their timeouts. Of headers only the names are in it, because their values
 * may be secrets. It is recorded, and a replay does not compare it, because a replay sends nothing.
 */
export function egressProvenance({ channels, routes }: Pick<HostFile, 'channels' | 'routes'>): string {
  const plain = Object.entries(channels).map(([name, channel]) => [
    name,
    channel.type === 'http' ? { ...channel, headers: Object.keys(channel.headers ?? {}).sort() } : channel,
  ])
  return `rxe1:sha256:${hashJson({ channels: Object.fromEntries(plain) as unknown, routes })}`
}
