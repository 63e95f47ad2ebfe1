import type { LazyKindModule } from '../../../programs/kind-module.ts'
import { checkFaults } from '../check/faults.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { faults } from '../model/faults.ts'
import type { RawTree } from '../formats/raw.ts'
import type { TreeSource } from '../model/source.ts'
import { functionCapability } from '../model/function-capability.ts'
import { HOST_OPTIONS, type TreeOptions } from './host-options.ts'
import { treeNames } from './names.ts'
import { TREE_RUN_OPTIONS } from './run-options.ts'

/** The kind of behaviour trees. */
export const treeModule: LazyKindModule<'tree', TreeOptions, CompiledTree, typeof TREE_RUN_OPTIONS, TreeSource | RawTree> = {
  name: 'tree',
  language: treeNames,
  faults: [faults, checkFaults],
  uses: ['model', 'tool', 'ledger'],
  hostOptions: HOST_OPTIONS,
  runOptions: TREE_RUN_OPTIONS,
  routes: async () => (await import('./routes.ts')).treeRoutes,
  grants: ({ functions = {} }) => Object.keys(functions).map(functionCapability),
  load: async () => (await import('./body.ts')).treeBody,
}
