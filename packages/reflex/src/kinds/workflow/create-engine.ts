import { ReflexEngine } from './engine.ts'
import type { RunnableAgent } from './port.ts'
import type { WorkflowRegistry } from './registry.ts'
import type { EngineOptions, EngineSnapshot, RestoreOptions } from './types.ts'

/**
 * An engine over a registry and an agent (seed workflow 3.2). The agent is asked at every node that calls no
 * workflow, and at one that does once the call has returned.
 */
export function createEngine(registry: WorkflowRegistry, agent: RunnableAgent, options: EngineOptions = {}): ReflexEngine {
  return new ReflexEngine(registry, agent, options)
}

/**
 * An engine at exactly the place of a snapshot. Emits nothing; handlers are added anew. `guards` gives functions to
 * guards that stand by name. Throws `EngineError` as `ReflexEngine.restore` does.
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
