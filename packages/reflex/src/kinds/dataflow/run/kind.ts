import type { Json, Kind } from '../../../kernel/index.ts'
import type { CompiledGraph, GraphSource } from './compiled.ts'
import { compileGraph, type GraphHost } from './compile.ts'
import { stepGraph } from './step.ts'

/** The records of a segment of a graph that runs for days. */
const SEGMENT = 10_000

/** Makes the kind of dataflow graphs, with the primitives of a host. */
export function graphKind(host: GraphHost): Kind<CompiledGraph> {
  return {
    name: 'dataflow',
    rev: 1,
    endless: SEGMENT,
    board: { isReserved: '~', tombstones: true },
    compile: (source: Json, pinned) => compileGraph(source as unknown as GraphSource, host, pinned),
    functions: ({ functions }) => functions,
    isInternal: (key) => key.startsWith('~'),
    step: stepGraph,
  }
}
