/** The tools for tests of a kind, a store or a program: a still clock, the suites for kinds and stores, and faults at every moment. */
export {
  FAULT_TYPES,
  type FaultType,
  type Breach,
  CIRCUMSTANCES,
  type Circumstance,
  type FaultPoint,
  FaultSuite,
  type FaultSuiteOptions,
  parsePoint,
  pointText,
  type PlantedBug,
  type Injection,
  type TrialResult,
  type Violation,
} from './fault-suite.ts'
export { type KindCase, type KindSubject, kindSuite, type Outcome, type Script, type SubjectProgram } from './kind-suite.ts'
export { recorded, type RecordedRun, type RecordedResult, type RecordedOptions } from './recorded.ts'
export {
  type AnswerScript,
  type CrashReport,
  type CrashOptions,
  type DecisionScripts,
  type DecisionScript,
  type End,
  type PerformedEffect,
  type ReplyScript,
  type ScriptedOptions,
  scripted,
  type Scripted,
  type ScriptedDecision,
  type ScriptedTool,
} from './scripted.ts'
export { type StoreCase, storeSuite, type StoreUnderTest } from './store-suite.ts'
export { type VirtualHost, virtualHost, type VirtualHostOptions } from '../kernel/index.ts'
