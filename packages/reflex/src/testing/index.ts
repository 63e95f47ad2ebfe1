/** For those who write a kind, a store or a program: a still clock, the suites that every kind and store passes, and faults at every moment. */
export {
  BLOWS,
  type Blow,
  type Breach,
  CIRCUMSTANCES,
  type Circumstance,
  type FaultPoint,
  FaultSuite,
  type FaultSuiteOptions,
  parsePoint,
  pointText,
  type Spoil,
  type Stroke,
  type Verdict,
  type Violation,
} from './fault-suite.ts'
export { type KindCase, type KindSubject, kindSuite, type Outcome, type Script, type SubjectProgram } from './kind-suite.ts'
export { recorded, type Recorded, type RecordedEnd, type RecordedOptions } from './recorded.ts'
export {
  type Answering,
  type Crashed,
  type CrashOptions,
  type Decides,
  type Deciding,
  type End,
  type Performed,
  type Replying,
  type ScriptedOptions,
  scripted,
  type Scripted,
  type ScriptedDecision,
  type ScriptedTool,
} from './scripted.ts'
export { type StoreCase, storeSuite, type StoreUnderTest } from './store-suite.ts'
export { type VirtualHost, virtualHost, type VirtualHostOptions } from './virtual-host.ts'
