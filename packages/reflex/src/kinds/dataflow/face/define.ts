import type { ClusterJson } from '../documents/decode.ts'

/** A graph or a cluster, as `dataflow` takes it: a document without its `kind`. Edges are texts, pairs or objects. */
export type DataflowDocument = ClusterJson

/** A graph in TypeScript. */
export type DataflowProgram = ClusterJson & { readonly kind: 'cluster' }

/**
 * Returns a graph in TypeScript, for `reflex.run` or as the export of a `*.dataflow.ts`. It is checked where it is read, as a file is.
 *
 *     dataflow({ id: 'alerts', version: '0.1.0', nodes: { cpu: { impl: 'context_number_source@^0.1' } }, edges: [['cpu.value', 'hot.a']] })
 */
export function dataflow(document: DataflowDocument): DataflowProgram {
  return { kind: 'cluster', ...document }
}
