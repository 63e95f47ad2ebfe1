import { quote } from '../../../text/printable.ts'
import { textOf, type DotGraph } from '../dot/graph.ts'
import { languageFaults } from './faults.ts'
import { parseStylesheet } from './stylesheet-parse.ts'
import { applyStylesheet } from './stylesheet.ts'
import { readTransformed } from './transform-result.ts'
import { expandVariables } from './variables.ts'
import { checkArguments } from '../../../text/index.ts'
import { GRAPH, TRANSFORMS } from '../dot/argument-forms.ts'

/** Changes a pipeline before it runs: gets a graph of its own and returns one synchronously. */
export type TransformFunction = (graph: DotGraph) => DotGraph

/** A transform: a function, or an object with one. */
export type Transform =
  | TransformFunction
  | {
      /** For messages. */
      readonly name?: string | undefined
      readonly transform: TransformFunction
    }

/** Transforms of an installation, and after them those of one run (reference pipeline 8.2). */
export interface CustomTransforms {
  readonly registered?: readonly Transform[] | undefined
  readonly ofRun?: readonly Transform[] | undefined
}

/**
 * A pipeline as it runs: variables, then the model stylesheet, then transforms in code, those that are registered first
 * (reference pipeline 8.2). The graph given is not changed, whatever a transform does. What a transform sets has the
 * provenance `transform`; edges are numbered again. Throws R1114 if a transform throws or returns no pipeline.
 */
export function transformGraph(graph: DotGraph, transforms: CustomTransforms = {}): DotGraph {
  checkArguments('transformGraph', { graph: [graph, GRAPH], transforms: [transforms, TRANSFORMS] })
  const { registered = [], ofRun = [] } = transforms
  const expanded = expandVariables(graph)
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
  throw languageFaults.make('R1114', `the transform ${quote(name)} returned no pipeline: ${result}`)
}
