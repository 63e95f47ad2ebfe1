import type { Fault } from '../../../kernel/journal/fault.ts'
import type { Source } from '../../../text/source.ts'
import { textOf, type DotGraph } from '../dot/graph.ts'
import { problemFault } from '../language/faults.ts'
import { parseStylesheet } from '../language/stylesheet-parse.ts'

/** What is wrong with the model stylesheet of a graph, each at its place in the attribute (reference pipeline 8.1). */
export function styleFindings({ attributes }: DotGraph, source: Source | undefined): Fault[] {
  const { problems } = parseStylesheet(textOf(attributes, 'model_stylesheet') ?? '')
  return problems.map((problem) => problemFault(problem, source, attributes.get('model_stylesheet')?.valueAt, 'model_stylesheet'))
}
