// Primitives of a host.
export { definePrimitive } from './manifests/define-primitive.ts'
export { type PurityCase, purityCases, purityFindings } from './pass/purity.ts'
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
export type { Outcome, PortType, Scalar, ScalarType, TriggerEvent } from './model/value.ts'

// Kinds of programs.
export { dataflowModule } from './face/module.ts'
export type { DataflowOptions } from './face/host-options.ts'
