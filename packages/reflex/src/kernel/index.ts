export type { BoardContract, BoardRules, Validator, ValidatorResult } from './state/board.ts'
export { type CallOptions, type Lookup, type SpawnOptions, StepContext } from './step/context.ts'
export { blobsOf, decodeBatch, type Encoded, encodeRecord } from './journal/codec.ts'
export { Decider, type Definitions, doubtOutcome } from './step/decide.ts'
export { digest } from './journal/digest.ts'
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
} from './journal/fault.ts'
export { traitsOf } from './run/effects.ts'
export { faults, noRecord } from './journal/faults.ts'
export type { Forked, ForkOptions, ForkStanding } from './run/fork.ts'
export { Flight, Frame, isHeld, type Kid, type Link, type SubScope, topOf, type Wait } from './state/frame.ts'
export { faultJson } from './journal/fault-json.ts'
export type { Graph, GraphEdge, GraphGroup, GraphNode, NodeForm } from './step/graph.ts'
export { type Host, systemHost } from './ports/host.ts'
export { readCancel } from './journal/cancellation.ts'
export { type Closing, closingRecord, closingText } from './state/closed-waits.ts'
export { canonicalJson, copyJson, equalJson, isList, isObject, type Json, type JsonObject } from './journal/json.ts'
export type { Choice, Kind } from './step/kind.ts'
export { ledgerPort } from './ports/ledger.ts'
export { runName } from './journal/names.ts'
export type { Hold, Later, Policy } from './ports/policy.ts'
export type { Call, Port, Repeat, Traits } from './ports/port.ts'
export { pinOf, type Program, programHash } from './step/program.ts'
export { Programs } from './step/programs.ts'
export type { Queued } from './state/queue.ts'
export { askerIn } from './journal/old-words.ts'
export * from './journal/record.ts'
export { type Difference, type DifferingPart, differingParts, replay, Replayer } from './run/replay.ts'
export { framePath, nodePath, strandName, summary } from './run/row.ts'
export { type Redact, redactTexts, type TextRedaction } from './journal/redact.ts'
export { type MessageOptions, Run } from './run/run.ts'
export { findEntry, type FoundEntry, ReadWatcher } from './step/reads.ts'
export { RunPrograms } from './step/pinned.ts'
export { type History, Journals, type Peek } from './run/journals.ts'
export { Runtime, type RuntimeOptions, type StartOptions } from './run/runtime.ts'
export { BoardReader, type Entry, Scope, type ScopeView } from './state/scope.ts'
export { dumpState, loadState, type StoredState } from './state/snapshot.ts'
export { type Ended, State } from './state/state.ts'
export type * from './ports/store.ts'
export type { Change, StoryEvent } from './state/story.ts'
