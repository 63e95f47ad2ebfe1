import { ReflexEngine } from './engine.ts'
import type { RunnableAgent } from '../step/port.ts'
import type { WorkflowRegistry } from './registry.ts'
import type { EngineOptions, EngineSnapshot, RestoreOptions } from '../types/index.ts'

/**
 * Creates an engine from a registry and an agent (seed workflow 3.2). The agent decides at every node that calls no workflow,
 * and at a calling node after its call has returned.
 */
export function createEngine(registry: WorkflowRegistry, agent: RunnableAgent, options: EngineOptions = {}): ReflexEngine {
  return new ReflexEngine(registry, agent, options)
}

/**
 * Creates an engine at exactly the place of a snapshot. Emits nothing; handlers must be added again. `guards` has the functions
 * of guards that are stored by name. Throws `EngineError` as `ReflexEngine.restore` does.
 */
export function restoreEngine(
  snapshot: EngineSnapshot,
  registry: WorkflowRegistry,
  agent: RunnableAgent,
  options: RestoreOptions & EngineOptions = {},
): ReflexEngine {
  const engine = new ReflexEngine(registry, agent, options)
  engine.restore(snapshot, options)
  return engine
}
