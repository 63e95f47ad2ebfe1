export type { AnswerResult, AnswerOptions } from './runs/answering.ts'
export type { CancelResult, CancelOptions, CancelOutcome } from './runs/cancelling.ts'
export type { PossibleEffect } from './runs/possible-effects.ts'
export type { SignalOptions, SignalResult } from './runs/signalling.ts'
export { CATALOGUE, explainCode } from './protocol/catalogue.ts'
export type { ForkDecision } from './runs/fork-decision.ts'
export type { ForkedRun, ForkRunOptions } from './app/forking.ts'
export type { ExportedTable, TableFormat } from './history/tables/export-tables.ts'
export { type OpenQuestion, RunHandle } from './runs/handle.ts'
export type { RunSettings } from './policy/index.ts'
export type { Surroundings } from './app/host.ts'
export { describeFault, Fault, type FaultData, isFault } from './kernel/index.ts'
export type { ExportOptions } from './history/archive/export.ts'
export type { ForgetOptions, ForgottenRecords } from './history/archive/forget.ts'
export { type ImportedRun, type ImportOptions, linesOf } from './history/archive/import.ts'
export { type ObserveOptions, SpanIds } from './history/telemetry/api.ts'
export type { ProjectedSpan } from './history/telemetry/spans.ts'
export { KINDS } from './app/kinds.ts'
export type { ReflexOptions, ResumeOptions, RunOptions, WorkerEvent, WorkOptions } from './app/options.ts'
export type { EdgeState, KindResult, KindView, StoryEvent } from './programs/kind-view.ts'
export type { Graph, GraphEdge, GraphGroup, GraphNode } from './programs/graph.ts'
export type {
  AnyKindModule,
  KindBody,
  KindHead,
  KindModule,
  KindWorld,
  LazyKindModule,
  MadeKind,
  RunFolder,
} from './programs/kind-module.ts'
export type { Language, LanguageNames, ReadContext, Reader, ReadProgram, ReadResult } from './programs/language.ts'
export type { PartAttribute, PartHelp, Parts } from './programs/part-help.ts'
export type { RunOption, RunOptionTable } from './programs/run-options.ts'
export type { Found, KindVerb, VerbSearch } from './programs/verb.ts'
export { Reflex } from './app/reflex.ts'
export type { StoryLine } from './history/trace.ts'
export type { TracedRun, TraceOptions } from './history/trace-of.ts'
export type { RunView } from './runs/view.ts'
export { FLAG, type Form, listOf, NUMBER, oneOf, options, TEXT } from './text/index.ts'
export { Source } from './text/index.ts'
