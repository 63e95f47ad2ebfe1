import { DEFAULT_HOST, type HostFile } from '../adapter/host-file.ts'
import { graphNeeds } from '../adapter/graph-needs.ts'
import type { ValidatedGraph } from '../model/graph.ts'

/** Returns a host with the limits of another one whose one channel takes every intent of a graph: for passes that send nothing. */
export function simulatedHost(graph: ValidatedGraph, { dedupe, constraints }: HostFile = DEFAULT_HOST): HostFile {
  const route = { channel: 'test', ack_timeout: 1, keyed: true, on_failure: 'fail' } as const
  const kinds = graphNeeds(graph).intents.map(({ intent }) => [intent.name, route] as const)
  return { dedupe, constraints, channels: {}, routes: Object.fromEntries(kinds) }
}
