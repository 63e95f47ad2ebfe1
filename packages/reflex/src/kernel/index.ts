export type { BoardContract, BoardRules, Validator, ValidatorResult } from './board.ts'
export { type CallOptions, type Lookup, type SpawnOptions, StepContext } from './context.ts'
export { blobsOf, decodeBatch, type Encoded, encodeRecord } from './codec.ts'
export { Decider, type Definitions, doubtOutcome } from './decide.ts'
export { digest } from './digest.ts'
export {
  type CatalogueEntry,
  causeOf,
  defineFaults,
  describeFault,
  Fault,
  type FaultData,
  faultData,
  type FaultDetails,
  type FaultFamily,
  isFault,
  type Severity,
  toFault,
  type Verdict,
} from './fault.ts'
export { traitsOf } from './effects.ts'
export { faults, noRecord } from './faults.ts'
export type { Forked, ForkOptions, ForkStanding } from './fork.ts'
export { Flight, Frame, isHeld, type Kid, type Link, type SubScope, topOf, type Wait } from './frame.ts'
export { faultJson } from './fault-json.ts'
export type { Graph, GraphEdge, GraphGroup, GraphNode, NodeForm } from './graph.ts'
export { type Host, systemHost } from './host.ts'
export { readCancel } from './cancellation.ts'
export { type Closing, closingRecord, closingText } from './closed-waits.ts'
export { canonicalJson, copyJson, equalJson, isList, isObject, type Json, type JsonObject } from './json.ts'
export type { Choice, Kind } from './kind.ts'
export { ledgerPort } from './ledger.ts'
export { runName } from './names.ts'
export type { Hold, Later, Policy } from './policy.ts'
export type { Call, Port, Repeat, Traits } from './port.ts'
export { pinOf, type Program, programHash } from './program.ts'
export { Programs } from './programs.ts'
export type { Queued } from './queue.ts'
export { askerIn } from './old-words.ts'
export * from './record.ts'
export { type Difference, type DifferingPart, differingParts, replay, Replayer } from './replay.ts'
export { framePath, nodePath, strandName, summary } from './row.ts'
export { type Redact, redactTexts, type TextRedaction } from './redact.ts'
export { type MessageOptions, Run } from './run.ts'
export { findEntry, type FoundEntry, ReadWatcher } from './reads.ts'
export { RunPrograms } from './pinned.ts'
export { type History, Journals, type Peek } from './journals.ts'
export { Runtime, type RuntimeOptions, type StartOptions } from './runtime.ts'
export { BoardReader, type Entry, Scope, type ScopeView } from './scope.ts'
export { dumpState, loadState, type StoredState } from './snapshot.ts'
export { type Ended, State } from './state.ts'
export type * from './store.ts'
export type { Change, StoryEvent } from './story.ts'
