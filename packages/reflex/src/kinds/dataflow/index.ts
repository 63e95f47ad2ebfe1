// Graphs in TypeScript, and primitives of a host's own: new Reflex({ dataflow: { primitives } }).
export { dataflow, type DataflowDocument, type DataflowProgram } from './face/define.ts'
export type { DataflowOptions } from './face/host-options.ts'
export { definePrimitive } from './manifests/define-primitive.ts'
export { readManifest } from './manifests/read-manifest.ts'
export { type PurityCase, purityCases, purityFindings } from './pass/purity.ts'
export { dataflowModule } from './face/module.ts'

// The model: manifests, values, events, effects, adapters (seed dataflow 3 to 6).
export type { Adapter, ContextKey } from './model/adapter.ts'
export type { Effect, EffectIntent, EffectWrite } from './model/effect.ts'
export type { EventKind, HostedEvent } from './model/event.ts'
export type {
  ContextRequirement,
  InputPort,
  IntentDeclaration,
  IntentField,
  Manifest,
  MirrorWrite,
  OutputPort,
  ParameterDeclaration,
  ParameterType,
  ParameterValue,
  PrimitiveKind,
  WriteDeclaration,
} from './model/manifest.ts'
export type {
  ActionFunction,
  ComputeError,
  ComputeFunction,
  ContextReader,
  Inputs,
  Outputs,
  Parameters,
  Primitive,
  SourceFunction,
  TriggerFunction,
} from './model/primitive.ts'
export { OUTCOMES, type Outcome, type PortType, type Scalar, type ScalarType, type Tagged, type TriggerEvent } from './model/value.ts'

// Graphs alone, without a store: read, expanded, validated, evaluated.
export { Catalog } from './manifests/catalog.ts'
export { STANDARD } from './primitives/standard.ts'
export { ClusterLibrary } from './clusters/library.ts'
export { standardClusters } from './clusters/standard/standard-clusters.ts'
export { expand } from './clusters/expand.ts'
export { decodeDefinition, readDefinition } from './documents/read.ts'
export { validateGraph } from './graph/validate.ts'
export type { ValidatedGraph } from './model/graph.ts'
export { evaluate, type PassResult } from './pass/evaluate.ts'
export { compilePass, type Pass } from './pass/compile-pass.ts'
export { readAdapter } from './adapter/read-adapter.ts'
export { supervise } from './supervisor/supervise.ts'
export { graphKind } from './run/kind.ts'
