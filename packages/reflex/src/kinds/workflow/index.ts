// A workflow as an object literal, with types.
export { workflow } from './model/define.ts'
export type { DefinedWorkflow, TypesIn, WorkflowDefinition } from './model/define-types.ts'
export type { InputOf } from '../../programs/program-types.ts'
export type { UnknownTypes, WorkflowTypes } from '../../programs/program-types.ts'
export type { BuiltInSpec, SpecDefinition } from './model/spec-types.ts'

// Agents that know the types of their workflow.
export { createAgent } from './face/create-agent.ts'
export type { HandlerContext, NodeHandler, NodeHandlers, TypedWrites } from './face/create-agent.ts'
export { defineAgent } from './face/define-agent.ts'
export type { TypedAgent, TypedContext, TypedDecision, TypedReader, TypedWrite } from './face/define-agent.ts'

// What the seed's users import (reference workflow 2).
export { createEngine, restoreEngine } from './engine/create-engine.ts'
export { ReflexEngine } from './engine/engine.ts'
export type { AnyEventHandler } from './engine/handlers.ts'
export { EngineError } from './step/engine-error.ts'
export { loadWorkflow } from './file/load.ts'
export { createRegistry, WorkflowRegistry } from './engine/registry.ts'
export { serializeWorkflow } from './file/serialize.ts'
export { workflowSchema } from './file/json-schema.ts'
export { WorkflowValidationError } from './check/validation-error.ts'
export type * from './types/index.ts'

// For those who test guards, agents and boards without an engine.
export { ScopedBlackboard, ScopedBlackboardReader } from './step/blackboard.ts'
export { ExecutionTree } from './engine/execution-tree.ts'
export { evaluateBuiltinGuard, evaluateCustomGuard, evaluateGuard, filterEdges } from './guards/guards.ts'

// The kind, for runtimes of one's own.
export { workflowKind, type WorkflowKindOptions } from './step/kind.ts'
export { decisionPort, type DecisionCall, type RunnableAgent } from './step/port.ts'
