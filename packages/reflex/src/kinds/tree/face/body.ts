import type { KindBody } from '../../../programs/kind-module.ts'
import type { RunOptionValues } from '../../../programs/run-options.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { modelsNamed } from '../check/models-named.ts'
import { pureFunctions } from '../compile/pure-functions.ts'
import type { LuaPool } from '../lua/pool.ts'
import { hostManifest } from '../manifest/host-manifest.ts'
import type { NodeManifest } from '../manifest/manifest.ts'
import { NODES } from '../nodes/table.ts'
import { functionPort } from '../tick/function-port.ts'
import { scriptPort } from '../tick/script-port.ts'
import { treeParts } from './host-parts.ts'
import { lazyLua } from './lazy-lua.ts'
import { treeKind } from '../tick/kind.ts'
import type { TreeOptions } from './host-options.ts'
import { liveTrees } from './live.ts'
import { treeLanguage } from './language.ts'
import { nodeParts } from './node-help.ts'
import type { TREE_RUN_OPTIONS } from './run-options.ts'
import { startArgs } from './start-args.ts'
import { treeReader } from './reader.ts'
import { treeView } from './view.ts'

/** The parts of the kind that trees and their runs need. */
export const treeBody: KindBody<TreeOptions, CompiledTree> = {
  language: treeLanguage,
  view: treeView,
  live: liveTrees,
  parts: nodeParts(NODES),
  folder: {
    keep: async () => undefined,
    beginsAt: (def, options: RunOptionValues<typeof TREE_RUN_OPTIONS>) => startArgs(def, options),
  },
  make(world, { functions = {}, nodes = [], schemas, services = {} } = {}) {
    const table = new Map([...NODES, ...nodes.map(hostManifest)].map((manifest): [string, NodeManifest] => [manifest.type, manifest]))
    const options = { nodes: table, schemas, pure: pureFunctions(functions) }
    const lua = lazyLua()
    const pool = async (): Promise<LuaPool> => lua.pool()
    return {
      kind: treeKind(options),
      reader: {
        ...treeReader(options, { functions, tools: () => world.tools.names(), lua: pool }),
        hostParts: treeParts({ functions, nodes, ...(schemas === undefined ? {} : { schemas }) }, table),
        models: modelsNamed,
      },
      ports: { function: functionPort(functions, services), script: scriptPort(pool, world.host) },
      close: async () => lua.close(),
    }
  },
}
