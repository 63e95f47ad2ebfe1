import type { KindBody } from '../../../programs/kind-module.ts'
import type { RunOptionValues } from '../../../programs/run-options.ts'
import { egressPort } from '../channels/egress-port.ts'
import { ingressPort } from '../channels/ingress-port.ts'
import type { CompiledGraph } from '../run/compiled.ts'
import { graphKind } from '../run/kind.ts'
import { graphCaptures } from './captures.ts'
import type { DataflowOptions } from './host-options.ts'
import { readConditions } from '../search/conditions.ts'
import { testGraph } from '../search/test-graph.ts'
import { graphParts } from './host-parts.ts'
import { calledHost, hostFor } from './host-of.ts'
import { dataflowLanguage } from './language.ts'
import { liveGraphs } from './live.ts'
import { dataflowReader } from './reader.ts'
import type { DATAFLOW_RUN_OPTIONS } from './run-options.ts'
import { startArgs, startedPrograms } from './start-args.ts'
import { dataflowView } from './view.ts'

/** The parts of the kind that graphs and their runs need. */
export const dataflowBody: KindBody<DataflowOptions, CompiledGraph> = {
  language: dataflowLanguage,
  view: dataflowView,
  live: liveGraphs,
  tests: {
    read: readConditions,
    test: ({ def, file, options }, conditions, limits) => testGraph(def, hostFor(options, file), conditions, limits),
  },
  captures: graphCaptures,
  folder: {
    keep: async () => undefined,
    beginsAt: (def, options: RunOptionValues<typeof DATAFLOW_RUN_OPTIONS>, from) => startArgs(def, options, from),
    startsBesides: startedPrograms,
    calledWith: calledHost,
  },
  make(world, { primitives = [] } = {}) {
    const host = { primitives }
    return {
      kind: graphKind(host),
      reader: { ...dataflowReader(host), hostParts: graphParts(host) },
      ports: { egress: egressPort(world), ingress: ingressPort(world) },
    }
  },
}
