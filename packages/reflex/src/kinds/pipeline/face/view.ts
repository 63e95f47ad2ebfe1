import type { KindView } from '../../../programs/kind-view.ts'
import { labelAt, openEdges } from '../engine/open-edges.ts'
import { resultOf } from '../engine/result.ts'
import { pipelineStory } from '../engine/story.ts'
import type { TypedGraph } from '../model/typed.ts'
import { pictureOf } from '../operations/picture.ts'

/** The display of pipelines and their runs. */
export const pipelineView: KindView<TypedGraph> = {
  graph: pictureOf,
  story: pipelineStory,
  edges: openEdges,
  result: resultOf,
  provenance: labelAt,
}
