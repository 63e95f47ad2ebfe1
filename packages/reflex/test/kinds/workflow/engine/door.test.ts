import { describe, expect, expectTypeOf, test } from 'vitest'
import * as door from '../../../../src/kinds/workflow/index.ts'
import type {
  BlackboardEntry,
  BlackboardReader,
  BlackboardSource,
  BlackboardWrite,
  BuiltinGuard,
  Cursor,
  CursorReader,
  CustomGuard,
  Decision,
  DecisionAgent,
  DecisionContext,
  Edge,
  EngineEvent,
  EngineOptions,
  EngineSnapshot,
  EngineState,
  EngineStatus,
  EventHandler,
  ExecutionInvalidateEvent,
  ExecutionRecord,
  ExecutionRecordEvent,
  ExecutionStatus,
  ExecutionTreeState,
  Guard,
  GuardNameMap,
  GuardRegistry,
  InitOptions,
  InputMapping,
  InvocationId,
  InvocationSpec,
  LoadWorkflowOptions,
  Node,
  NodeInput,
  NodeOutput,
  NodeSpec,
  PersistenceAdapter,
  PushWorkflowOptions,
  RestoreOptions,
  ReturnMapping,
  RunResult,
  SerializeWorkflowOptions,
  StackFrame,
  StepResult,
  UnwindEvent,
  UnwindOptions,
  ValidationErrorCode,
  VerificationResult,
  VerificationWarning,
  VerificationWarningCode,
  Workflow,
} from '../../../../src/kinds/workflow/index.ts'

/** All types that the original exports, under their names: this file compiles only if they are there. */
type Names =
  | [BlackboardEntry, BlackboardReader, BlackboardSource, BlackboardWrite, BuiltinGuard, Cursor, CursorReader, CustomGuard]
  | [Decision, DecisionAgent, DecisionContext, Edge, EngineEvent, EngineOptions, EngineSnapshot, EngineStatus, EventHandler]
  | [ExecutionInvalidateEvent, ExecutionRecord, ExecutionRecordEvent, ExecutionStatus, ExecutionTreeState, Guard, GuardNameMap]
  | [GuardRegistry, InitOptions, InputMapping, InvocationId, InvocationSpec, LoadWorkflowOptions, Node, NodeInput, NodeOutput]
  | [NodeSpec, PersistenceAdapter, PushWorkflowOptions, RestoreOptions, ReturnMapping, RunResult, SerializeWorkflowOptions]
  | [StackFrame, StepResult, UnwindEvent, UnwindOptions, ValidationErrorCode, VerificationResult, VerificationWarning]
  | [VerificationWarningCode, Workflow]

describe('the door', () => {
  // proves: workflow r18n, workflow d-door-values
  test('has every value of the original, and the ones missing there', () => {
    const values = ['createRegistry', 'createEngine', 'WorkflowRegistry', 'WorkflowValidationError', 'ReflexEngine', 'EngineError']
    const more = ['loadWorkflow', 'serializeWorkflow', 'workflowSchema', 'restoreEngine']
    const missing = [
      'ScopedBlackboard',
      'ScopedBlackboardReader',
      'evaluateBuiltinGuard',
      'evaluateCustomGuard',
      'evaluateGuard',
      'filterEdges',
      'ExecutionTree',
    ]
    for (const name of [...values, ...more, ...missing]) expect(door).toHaveProperty(name)
  })

  // proves: workflow C11, workflow d-door-types
  test('has every type, and the state of the seed is the snapshot', () => {
    expectTypeOf<Names>().not.toBeAny()
    expectTypeOf<EngineState>().toEqualTypeOf<EngineSnapshot>()
  })

  test('has types for the payloads and calls of handlers', () => {
    const engine = door.createEngine(door.createRegistry(), { resolve: async () => ({ type: 'complete' }) })
    engine.on('edge:traverse', (payload) => expectTypeOf(payload).toEqualTypeOf<{ readonly edge: Edge; readonly workflow: Workflow }>())
    engine.onAny((event) => expectTypeOf<EngineEvent>(event))
    expectTypeOf(engine.on('node:enter', () => undefined)).toEqualTypeOf<() => void>()
  })
})
