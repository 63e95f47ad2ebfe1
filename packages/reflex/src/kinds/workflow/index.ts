// A workflow as an object literal, with types.
export { workflow } from './define.ts'
export type { DefinedWorkflow, TypesIn, WorkflowDefinition } from './define-types.ts'
export type { InputOf } from '../../programs/program-types.ts'
export type { UnknownTypes, WorkflowTypes } from '../../programs/program-types.ts'
export type { BuiltInSpec, SpecDefinition } from './spec-types.ts'

// Agents that know the types of their workflow.
export { createAgent } from './create-agent.ts'
export type { HandlerContext, NodeHandler, NodeHandlers, TypedWrites } from './create-agent.ts'
export { defineAgent } from './define-agent.ts'
export type { TypedAgent, TypedContext, TypedDecision, TypedReader, TypedWrite } from './define-agent.ts'

// What the seed's users import (reference workflow 2).
export { createEngine, restoreEngine } from './create-engine.ts'
export { ReflexEngine } from './engine.ts'
export type { AnyEventHandler } from './handlers.ts'
export { EngineError } from './engine-error.ts'
export { loadWorkflow } from './load.ts'
export { createRegistry, WorkflowRegistry } from './registry.ts'
export { serializeWorkflow } from './serialize.ts'
export { workflowSchema } from './json-schema.ts'
export { WorkflowValidationError } from './validation-error.ts'
export type * from './types.ts'

// For those who test guards, agents and boards without an engine.
export { ScopedBlackboard, ScopedBlackboardReader } from './blackboard.ts'
export { ExecutionTree } from './execution-tree.ts'
export { evaluateBuiltinGuard, evaluateCustomGuard, evaluateGuard, filterEdges } from './guards.ts'

// The kind, for runtimes of one's own.
export { workflowKind, type WorkflowKindOptions } from './kind.ts'
export { decisionPort, type DecisionCall, type RunnableAgent } from './port.ts'
