import type { LazyKindModule } from '../../../programs/kind-module.ts'
import { faults as adapterFaults } from '../adapter/faults.ts'
import { faults as captureFaults } from '../capture/faults.ts'
import { clusterFaults } from '../clusters/faults.ts'
import { documentFaults } from '../documents/faults.ts'
import { faults as manifestFaults } from '../manifests/faults.ts'
import { faults as passFaults } from '../pass/faults.ts'
import type { CompiledGraph, GraphSource } from '../run/compiled.ts'
import { faults as runFaults } from '../run/faults.ts'
import { type DataflowOptions, HOST_OPTIONS } from './host-options.ts'
import { dataflowNames } from './names.ts'
import { DATAFLOW_RUN_OPTIONS } from './run-options.ts'

/** The kind of dataflow graphs. */
export const dataflowModule: LazyKindModule<'dataflow', DataflowOptions, CompiledGraph, typeof DATAFLOW_RUN_OPTIONS, GraphSource> = {
  name: 'dataflow',
  language: dataflowNames,
  faults: [documentFaults, clusterFaults, manifestFaults, adapterFaults, passFaults, runFaults, captureFaults],
  uses: ['tool', 'ledger'],
  hostOptions: HOST_OPTIONS,
  runOptions: DATAFLOW_RUN_OPTIONS,
  companions: [
    {
      name: 'adapter',
      flag: '--write-adapter',
      does: 'write the adapter that a graph needs, default beside it; comments of an existing one stay; - for standard output',
    },
  ],
  load: async () => (await import('./body.ts')).dataflowBody,
}
