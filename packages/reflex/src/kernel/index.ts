export type { Admission, Leave } from './ports/admission.ts'
export type { BoardContract, BoardRules, Validator, ValidatorResult } from './state/board.ts'
export { StepContext } from './step/context.ts'
export type { CallOptions, Lookup, SpawnOptions } from './step/step-calls.ts'
export type { WriteOptions } from './step/step-board.ts'
export { blobsOf, decodeBatch, type EncodedRecord, encodeRecord } from './journal/codec.ts'
export { Decider, type Definitions, readOutcome } from './step/decide.ts'
export { digestBytes, digestFraction, digest } from './journal/digest.ts'
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
  thrownMessage,
  toFault,
  type Verdict,
} from './journal/fault.ts'
export { traitsOf } from './run/effects.ts'
export { faults, noRecord } from './journal/faults.ts'
export { FollowedRun } from './run/followed-run.ts'
export type { ForkResult, ForkOptions } from './run/fork.ts'
export type { ForkSource } from './run/fork-source.ts'
export {
  PendingEffect,
  Frame,
  isPaused,
  type StrandResult,
  type Link,
  type SubScope,
  topOf,
  type Wait,
  waitsForPerson,
} from './state/frame.ts'
export { faultJson } from './journal/fault-json.ts'
export { type Host, systemHost } from './ports/host.ts'
export { type VirtualHost, virtualHost, type VirtualHostOptions } from './ports/virtual-host.ts'
export { readCancel } from './journal/cancellation.ts'
export { type ClosedWait, findClosedWait, closedWaitText } from './state/closed-waits.ts'
export { canonicalJson, copyJson, equalJson, isList, isObject, type Json, type JsonObject } from './journal/json.ts'
export type { Kind, PlainParts } from './step/kind.ts'
export { factsIn, hashMark, hidesContents, type PlainShape } from './journal/contents.ts'
export { PLAIN_FAULT } from './step/concealed-record.ts'
export { messageIds } from './journal/message-ids.ts'
export { ledgerPort } from './ports/ledger.ts'
export { runName } from './journal/run-name.ts'
export type { Permissions, Term } from './journal/permissions.ts'
export { storeOfEffects } from './ports/outage.ts'
export { permitPort } from './ports/permit.ts'
export type { PermissionsCall, Policy, TermedNeed, Judgement } from './ports/policy.ts'
export type { EffectAnswer } from './state/answers.ts'
export { type Interruption, isInterruption, questionInterruption, unknownInterruption } from './ports/interruption.ts'
export { type Call, type HowClosed, type Port, type PortRun, type Repeat, SIMULATED, type Simulation, type Traits } from './ports/port.ts'
export { fixedSettings, plainSettings, type RunFacts, type SettingsCodec, type SettingsOwner } from './ports/settings.ts'
export { pinOf, type Program, programHash } from './step/program.ts'
export { type KindLoader, Programs } from './step/programs.ts'
export type { QueuedInput } from './state/queue.ts'
export { askerOf } from './journal/old-words.ts'
export { answerFacts, type AnswerInput } from './journal/answer.ts'
export * from './journal/record.ts'
export { type Difference, type DifferingPart, differingParts, replay, Replayer } from './run/replay.ts'
export { framePath, nodePath, strandName, summary } from './run/row.ts'
export { type Redactor, redactTexts, type TextRedaction } from './journal/redact.ts'
export type { OpenRun } from './run/open-run.ts'
export { Run } from './run/run.ts'
export type { IdleOptions, MessageOptions } from './run/run-options.ts'
export { findEntry, type FrameEntry, ReadWatcher } from './step/read-watcher.ts'
export { RunPrograms } from './step/run-programs.ts'
export { type History, Journals, type Peek } from './run/journals.ts'
export { searchClosedWait } from './run/closed-wait-search.ts'
export {
  type JournalPart,
  type KeptRecords,
  keptRecords,
  type NumberedRecord,
  readPart,
  readRecords,
  segmentStart,
} from './run/read-records.ts'
export { Runtime, type RuntimeOptions, type StartOptions } from './run/runtime.ts'
export { BoardReader, type Entry, Scope, type ScopeView } from './state/scope.ts'
export type { UsageMeter } from './state/meter.ts'
export { isPartOf, programFrame } from './state/meter.ts'
export { dumpState, loadState, shrinkState, type StoredState } from './state/snapshot.ts'
export { hostOf, makeRef, originOf, type RunOrigin, type RunOutcome, State } from './state/state.ts'
export type * from './ports/segment.ts'
export type * from './ports/store.ts'
export {
  amountsOf,
  CALL_LIMITS,
  type CallLimit,
  type CallLimits,
  describeLimit,
  type Limit,
  type Limits,
  LIMITS,
  limitsReached,
  raisedElsewhere,
  type StatedUsage,
  type Usage,
  UsageSum,
  usageOfResult,
} from './journal/usage.ts'
export type { Change } from './state/story.ts'
export { storedProgram } from './run/batch-builder.ts'
export { END_OF_TIME, isTime } from './step/wait-request.ts'
export { takesTopic, topicIn } from './journal/topics.ts'
export { checkRoom } from './ports/inbox-limit.ts'
export { checkCompaction, checkEntries, compactedAway, entryText } from './ports/ledger-entries.ts'
