import type { LazyKindModule } from '../../../programs/kind-module.ts'
import { lintFaults } from '../check/faults.ts'
import { pipelineFaults } from '../contract/faults.ts'
import { dotFaults } from '../dot/faults.ts'
import type { DotGraph } from '../dot/graph.ts'
import { languageFaults } from '../language/faults.ts'
import { actionCapability } from '../model/action-names.ts'
import { compileFaults } from '../model/faults.ts'
import type { TypedGraph } from '../model/typed.ts'
import { HOST_OPTIONS, type PipelineOptions } from './host-options.ts'
import { pipelineNames } from './names.ts'
import { PIPELINE_RUN_OPTIONS } from './run-options.ts'
import type { KindView } from '../../../programs/kind-view.ts'
import { labelAt, openEdges } from '../engine/open-edges.ts'
import { resultOf } from '../engine/result.ts'
import { pipelineStory } from '../engine/story.ts'
import { pictureOf } from '../operations/picture.ts'
import { pipelineSignature } from './signature.ts'

/** The display of pipelines and their runs. */
export const pipelineView: KindView<TypedGraph> = {
  graph: pictureOf,
  signature: pipelineSignature,
  story: pipelineStory,
  edges: openEdges,
  result: resultOf,
  provenance: labelAt,
}

/** The kind of pipelines. */
export const pipelineModule: LazyKindModule<'pipeline', PipelineOptions, TypedGraph, typeof PIPELINE_RUN_OPTIONS, DotGraph> = {
  name: 'pipeline',
  language: pipelineNames,
  faults: [dotFaults, languageFaults, compileFaults, lintFaults, pipelineFaults],
  uses: ['model', 'tool', 'ledger'],
  hostOptions: HOST_OPTIONS,
  runOptions: PIPELINE_RUN_OPTIONS,
  verbs: [
    {
      name: 'artifacts',
      about: 'list the artifacts that nodes of pipelines stored',
      examples: ['artifacts otter', 'artifacts otter@21 --json'],
      load: async () => (await import('./artifacts-verb.ts')).artifactsVerb,
    },
  ],
  routes: async () => (await import('./routes.ts')).pipelineRoutes,
  grants: ({ handlers, actions = {} }) => [...(handlers?.needs() ?? []), ...Object.keys(actions).map(actionCapability)],
  load: async () => (await import('./body.ts')).pipelineBody,
}
