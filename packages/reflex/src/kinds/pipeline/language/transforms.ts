import { quote, checkArguments } from '../../../text/index.ts'
import { textOf, type DotGraph } from '../dot/graph.ts'
import { languageFaults } from './faults.ts'
import { parseStylesheet } from './stylesheet-parse.ts'
import { applyStylesheet } from './stylesheet.ts'
import { readTransformed } from './transform-result.ts'
import { expandOwnVariables, expandVariables } from './variables.ts'
import { GRAPH, TRANSFORMS } from '../dot/argument-forms.ts'

/** Changes a pipeline before it runs: gets its own copy of the graph and returns a graph synchronously. */
export type TransformFunction = (graph: DotGraph) => DotGraph

/** A transform: a function, or an object with one. */
export type Transform =
  | TransformFunction
  | {
      /** The name for messages. */
      readonly name?: string | undefined
      readonly transform: TransformFunction
    }

/** Transforms of an installation, followed by those of one run (reference pipeline 8.2). */
export interface CustomTransforms {
  readonly registered?: readonly Transform[] | undefined
  readonly ofRun?: readonly Transform[] | undefined
}

/**
 * Returns the pipeline as it runs: expands variables, applies the model stylesheet, then applies transforms in code, registered
 * ones first (reference pipeline 8.2). Never changes the given graph. Attributes set by a transform have the provenance
 * `transform`; edges are renumbered. Throws R1114 if a transform throws or returns no pipeline.
 */
export function transformGraph(graph: DotGraph, transforms: CustomTransforms = {}): DotGraph {
  checkArguments('transformGraph', { graph: [graph, GRAPH], transforms: [transforms, TRANSFORMS] })
  return transformExpanded(expandVariables(graph), transforms)
}

/** Like `transformGraph`, for a graph that has no other owner: its attributes are changed in place. */
export function transformOwnGraph(graph: DotGraph, transforms: CustomTransforms = {}): DotGraph {
  checkArguments('transformGraph', { transforms: [transforms, TRANSFORMS] })
  expandOwnVariables(graph)
  return transformExpanded(graph, transforms)
}

function transformExpanded(expanded: DotGraph, { registered = [], ofRun = [] }: CustomTransforms): DotGraph {
  const { rules } = parseStylesheet(textOf(expanded.attributes, 'model_stylesheet') ?? '')
  return [...registered, ...ofRun].reduce<DotGraph>(applyTransform, applyStylesheet(expanded, rules))
}

function applyTransform(graph: DotGraph, custom: Transform, place: number): DotGraph {
  const name = custom.name || `number ${place + 1}`
  let returned: unknown
  try {
    returned = typeof custom === 'function' ? custom(structuredClone(graph)) : custom.transform(structuredClone(graph))
  } catch (cause) {
    throw languageFaults.make('R1114', `the transform ${quote(name)} threw`, { cause })
  }
  const result = readTransformed(graph, returned)
  if (typeof result !== 'string') return result
  throw languageFaults.make('R1114', `the transform ${quote(name)} did not return a pipeline: ${result}`)
}
