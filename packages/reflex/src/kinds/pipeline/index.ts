// DOT: parsing, graphs, serializing.
export { parse, parseDot } from './dot/parse.ts'
export type { DotOptions, DotParse } from './dot/parse.ts'
export { serializeGraph } from './dot/serialize.ts'
export type { SerializeOptions } from './dot/serialize.ts'
export { DotCache } from './dot/cache.ts'
export { integerOf, isOn, listOf, numberOf, textOf } from './dot/graph.ts'
export type { Attribute, Attributes, AttributeValue, DotEdge, DotGraph, DotNode, Provenance, Span, Subgraph } from './dot/graph.ts'

// A pipeline as an object.
export { pipeline } from './face/define.ts'
export { pipelineSchema } from './face/json-schema.ts'
export type { DefinedPipeline, NodeDefinition, PipelineDefinition } from './face/define-types.ts'

// Conditions, durations, transforms.
export { parseCondition } from './language/condition-parse.ts'
export type { ParsedCondition } from './language/condition-parse.ts'
export type { Clause, Condition, Operator } from './language/condition.ts'
export { evaluateCondition } from './language/condition-evaluate.ts'
export type { ConditionScope } from './language/condition-evaluate.ts'
export { parseDuration } from './language/duration.ts'
export { mergeGraphs } from './language/merge.ts'
export { transformGraph } from './language/transforms.ts'
export type { CustomTransforms, Transform, TransformFunction } from './language/transforms.ts'

// Compiling and checking.
export { compileGraph, readPipeline } from './face/read-pipeline.ts'
export type { CompileOptions, ReadPipelineOptions } from './face/read-pipeline.ts'
export type { DataClass, ResourceBounds, TypedEdge, TypedGraph, TypedNode } from './model/typed.ts'
export type { CanonicalType, CustomHandler, Idempotency } from './model/resolution.ts'
export type { LintFinding, LintRule } from './check/finding.ts'
export type { LintOptions } from './check/options.ts'
export type { LintSubject } from './check/subject.ts'
export { validateOrRaise } from './check/validate.ts'
export { validateSource as validate } from './face/read-pipeline.ts'
export type { PipelineSource, ReadPipelineResult } from './check/read.ts'

// Operations of a host.
export { defineOperation } from './contract/define-operation.ts'
export type { Operation } from './contract/define-operation.ts'
export type { Handler } from './contract/handler.ts'
export { attribute } from './model/attribute.ts'
export type { AttributeFact, AttributeFacts, AttributeForm, AttributeType } from './model/attribute.ts'
export type { AttributesOf } from './face/attribute-types.ts'
export { operationHelp, operationNames } from './face/operation-help.ts'
export type { AttributeHelp, OperationHelp } from './face/operation-help.ts'
export type { Dispatch, OpenedFile, OperationFacts } from './model/operation-facts.ts'
export { authored, context, environment, key, keys, prompt, template, writes, writesAt, writesUnder } from './model/operation-ports.ts'
export type { Input, Origin, Output, Safety } from './model/operation-ports.ts'
export { fileUri, netUri, uri } from './face/capability-names.ts'
export type { WrittenNode } from './model/written-node.ts'
export { askModel, askPerson, awaitSignal, callProgram, callTool, perform, sleep } from './contract/asks.ts'
export { failure, refusal, success } from './contract/outcome.ts'

// People.
export { AutoApproveInterviewer, CallbackInterviewer, QueueInterviewer, RecordingInterviewer } from './face/built-in-interviewers.ts'
export type { CallbackAnswer, QueuedAnswer, QueueOptions, Recording } from './face/built-in-interviewers.ts'
export { ConsoleInterviewer } from './face/console.ts'
export type { ConsoleOptions } from './face/console.ts'
export type { InterviewAnswer, Interviewer, InterviewOption, InterviewQuestion, QuestionType } from './face/interviewers.ts'

// Runs.
export { run, runFile } from './face/run.ts'
export type { PipelineResult, PipelineRunOptions } from './face/options.ts'
export type { Hook, Hooks, RunHooks, Summariser, ToolHook, ToolHookAnswer, ToolHooks } from './engine/host-hooks.ts'
export { storedArtifacts } from './engine/artifacts.ts'
export type { Artifact, StoredArtifact } from './engine/artifacts.ts'
export type { ArtifactStore } from './engine/artifact-store.ts'
export type { LlmAnswer, LlmBackend, LlmRequest, LlmText } from './face/backend.ts'
export { EventStream } from './face/event-stream.ts'
export { EVENT_ALIASES } from './folder/events.ts'
export type { PipelineEvent } from './folder/events.ts'
export { HandlerRegistry, Registry } from './engine/custom.ts'
export type { ContextView, HandlerAnswer, HandlerServices, NodeView, PipelineHandler } from './engine/custom.ts'
export type { ActionServices, HostAction, HostActions } from './operations/actions/registry.ts'
export type { Parameter, Parameters } from './model/action-parameters.ts'
export type {
  Adapter,
  ConsensusAdapter,
  MemoryAdapter,
  PipelineServices,
  SearchAdapter,
  ServiceCall,
  ServiceFunction,
  SessionAdapter,
} from './contract/services.ts'
export type { Outcome, Status } from './contract/outcome.ts'
export type { AsyncMiddleware, HostMiddleware, MiddlewareCall } from './engine/asynchronous.ts'
export type { Halt, Middleware, Token } from './engine/middleware.ts'
export type { Limits } from './contract/handler.ts'
