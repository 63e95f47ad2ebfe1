import type { FunctionPin, JsonObject } from '../../../kernel/index.ts'
import type { PreparedAdapter } from '../adapter/event-form.ts'
import type { Manifest, ParameterValue } from '../model/manifest.ts'
import type { Pass } from '../pass/compile-pass.ts'
import type { ValidatedGraph } from '../model/graph.ts'

/** A graph as a run pins it: its document with everything that it refers to, so that one hash names all of it. */
export interface GraphSource {
  readonly format: 'reflex-dataflow-1'
  /** The document, in the form that `writeDocument` gives. */
  readonly graph: JsonObject
  /** The documents of the clusters that it uses, directly or not. */
  readonly clusters?: readonly JsonObject[]
  /** The manifests of the actions that it uses and that files declare: their outcome is always Attempted. */
  readonly actions?: readonly Manifest[]
  /** The manifests of the primitives of the host that it uses. Their functions are pinned with the run. */
  readonly primitives?: readonly Manifest[]
  readonly adapter?: JsonObject
  /** Values of the parameters of the root. */
  readonly parameters?: Readonly<Record<string, ParameterValue>>
}

/** A graph that is ready to run. */
export interface CompiledGraph {
  readonly id: string
  readonly source: GraphSource
  readonly graph: ValidatedGraph
  readonly adapter: PreparedAdapter | undefined
  readonly functions: readonly FunctionPin[]
  readonly pass: Pass
}
