import type { KindBody, KindWorld } from '../../../programs/kind-module.ts'
import type { RunOptionValues } from '../../../programs/run-options.ts'
import { requestOfCall } from '../contract/conversation.ts'
import { FolderWriter } from '../folder/folder-writer.ts'
import { openCheckpoint, resumeArgument } from '../folder/resume.ts'
import { modelsNamed } from '../model/models-named.ts'
import { isPipeline } from '../model/program-author.ts'
import type { TypedGraph } from '../model/typed.ts'
import { middlewareNames } from '../operations/make-engine.ts'
import { pipelineParts, routingOf, runFolderOf } from './assemble.ts'
import { pipelineHostParts } from './host-parts.ts'
import { pipelineLanguage } from './language.ts'
import type { PipelineOptions } from './host-options.ts'
import { OPERATION_PARTS } from './operation-help.ts'
import { pipelineReader } from './reader.ts'
import type { PIPELINE_RUN_OPTIONS } from './run-options.ts'
import { pipelineView } from './module.ts'

/** The parts of the kind that pipelines and their runs need. */
export const pipelineBody: KindBody<PipelineOptions, TypedGraph> = {
  language: pipelineLanguage,
  view: pipelineView,
  parts: OPERATION_PARTS,
  folder: {
    keep: (runtime, run, settings) => new FolderWriter(runtime, run, settings).ready,
    beginsAt(def, { resumeFrom, force }: RunOptionValues<typeof PIPELINE_RUN_OPTIONS>, { secret }) {
      return resumeFrom === undefined ? {} : resumeArgument(openCheckpoint(resumeFrom, secret), def, { force })
    },
  },
  make(world, host = {}) {
    const { handlers, operations, transforms, actions, middleware, alwaysMiddleware } = host
    const { kind, ports } = pipelineParts(settingsFor(world, host))
    return {
      kind,
      reader: {
        ...pipelineReader({
          handlers,
          operations,
          transforms,
          actions,
          tools: () => world.tools.names(),
          models: world.modelFindings,
          middleware: middlewareNames({ middleware, always: alwaysMiddleware }),
        }),
        hostParts: pipelineHostParts(host),
        models: modelsNamed,
      },
      ports,
      modelRequest: (call) => (isPipeline(call.def) ? requestOfCall(call) : undefined),
      runFolder: runFolderOf,
      keepsLabels: isPipeline,
    }
  },
}

function settingsFor(world: KindWorld, host: PipelineOptions): Parameters<typeof pipelineParts>[0] {
  const {
    handlers,
    operations,
    actions,
    services,
    hooks,
    toolHooks,
    summarise,
    allowDisableMiddleware,
    middleware = new Map(),
    alwaysMiddleware,
  } = host
  const { store, policy, tools, labels, isProgram, reserved } = world
  return {
    handlers,
    operations,
    actions,
    services,
    routing: routingOf(host),
    hooks,
    toolHooks,
    summarise,
    allowDisableMiddleware,
    store,
    middleware,
    ...(alwaysMiddleware === undefined ? {} : { always: alwaysMiddleware }),
    policy,
    tools,
    labels,
    isProgram,
    reserved,
    now: () => world.host.now(),
  }
}
