import { textOf, type Attributes } from './graph.ts'

/**
 * The class that a subgraph gives its nodes: its label in lower case, spaces as hyphens, without everything that a class
 * cannot hold. Nothing without a label (reference pipeline 1.3).
 */
export function subgraphClass(attributes: Attributes): string {
  const label = textOf(attributes, 'label') ?? ''
  return label
    .toLowerCase()
    .replace(/ /g, '-')
    .replace(/[^a-z0-9-]/g, '')
}
