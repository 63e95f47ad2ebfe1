// The language: text, graph, text.
export { parse, parseDot } from './dot/parse.ts'
export type { DotOptions, DotParse } from './dot/parse.ts'
export { serializeGraph } from './dot/serialize.ts'
export type { SerializeOptions } from './dot/serialize.ts'
export { DotCache } from './dot/cache.ts'
export { integerOf, isOn, listOf, numberOf, textOf } from './dot/graph.ts'
export type { Attribute, Attributes, AttributeValue, DotEdge, DotGraph, DotNode, Provenance, Span, Subgraph } from './dot/graph.ts'

// A pipeline as an object.
export { pipeline } from './define.ts'
export { pipelineSchema } from './json-schema.ts'
export type { DefinedPipeline, NodeDefinition, PipelineDefinition } from './define-types.ts'

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

// What can be known before a run.
export { compileGraph } from './compile/compile.ts'
export type { CompileOptions } from './compile/compile.ts'
export type { CustomHandler } from './compile/resolve.ts'
export type { CanonicalType, DataClass, Idempotency, ResourceBounds, TypedEdge, TypedGraph, TypedNode } from './compile/typed.ts'
export type { LintFinding, LintRule } from './lint/finding.ts'
export type { LintOptions } from './lint/options.ts'
export type { LintSubject } from './lint/subject.ts'
export { validateOrRaise } from './validate.ts'
export { validateSource as validate } from './validate-source.ts'
export { readPipeline } from './read.ts'
export type { PipelineSource, ReadPipelineOptions, ReadPipelineResult } from './read.ts'

// People.
export { AutoApproveInterviewer, CallbackInterviewer, QueueInterviewer, RecordingInterviewer } from './interviewers/made.ts'
export type { CallbackAnswer, QueuedAnswer, QueueOptions, Recording } from './interviewers/made.ts'
export { ConsoleInterviewer } from './interviewers/console.ts'
export type { ConsoleOptions } from './interviewers/console.ts'
export type { InterviewAnswer, Interviewer, InterviewOption, InterviewQuestion, QuestionType } from './interviewers/interviewers.ts'

// Runs.
export { run, runFile } from './run/run.ts'
export type { PipelineResult, PipelineRunOptions } from './run/options.ts'
export type { Hook, Hooks, RunHooks, Summariser, ToolHook, ToolHookAnswer, ToolHooks } from './engine/host-hooks.ts'
export type { Artifact, StoredArtifact } from './engine/artifacts.ts'
export type { ArtifactStore } from './handlers/artifacts.ts'
export type { LlmAnswer, LlmBackend, LlmRequest, LlmText } from './run/backend.ts'
export { EventStream } from './event-stream.ts'
export { EVENT_ALIASES } from './events.ts'
export type { PipelineEvent } from './events.ts'
export { HandlerRegistry, Registry } from './custom.ts'
export type { ContextView, HandlerAnswer, HandlerServices, NodeView, PipelineHandler } from './custom.ts'
export type { ActionServices, HostAction, HostActions } from './actions/registry.ts'
export type { Parameter, Parameters } from './actions/parameters.ts'
export type {
  Adapter,
  ConsensusAdapter,
  MemoryAdapter,
  PipelineServices,
  SearchAdapter,
  ServiceCall,
  ServiceFunction,
  SessionAdapter,
} from './services.ts'
export type { Outcome, Status } from './engine/outcome.ts'
export type { AsyncMiddleware, HostMiddleware, MiddlewareCall } from './middleware/asynchronous.ts'
export type { Halt, Middleware, Token } from './middleware/middleware.ts'
export type { Limits } from './engine/handler.ts'
