import { EngineError } from './engine-error.ts'
import { ReflexEngine } from './engine.ts'
import type { RunnableAgent } from './port.ts'
import type { WorkflowRegistry } from './registry.ts'
import { SNAPSHOT_VERSION } from './session.ts'
import type { CustomGuard, EngineOptions, EngineSnapshot, RestoreOptions } from './types.ts'

const STATUSES = ['running', 'suspended', 'completed']

/**
 * An engine at exactly the place of a snapshot: same session, stack, boards and execution tree (reference
 * workflow 12). Emits nothing; handlers are added anew. Throws `EngineError` if the registry lacks a workflow or
 * a node that the snapshot names, or the snapshot is of a version or status that is not known (D13).
 */
export function restoreEngine(snapshot: EngineSnapshot, registry: WorkflowRegistry, agent: RunnableAgent, options: RestoreOptions & EngineOptions = {}): ReflexEngine {
  checkShape(snapshot)
  const missing = snapshot.workflowIds.filter((id) => !registry.has(id))
  if (missing.length > 0) throw refuse(`Cannot restore: registry is missing workflow(s): ${missing.map((id) => `'${id}'`).join(', ')}`)
  checkPosition(snapshot, registry)
  if (options.guards !== undefined) resolveGuards(snapshot, registry, options.guards)
  const engine = new ReflexEngine(registry, agent, options)
  engine.restore({ ...snapshot, executionTree: snapshot.executionTree ?? { records: [] } })
  return engine
}

function checkShape(snapshot: EngineSnapshot): void {
  if (typeof snapshot !== 'object' || snapshot === null || !Array.isArray(snapshot.stack) || !Array.isArray(snapshot.workflowIds) || !Array.isArray(snapshot.currentBlackboard)) {
    throw refuse('Cannot restore: this is not a snapshot of an engine')
  }
  if (snapshot.version !== SNAPSHOT_VERSION && snapshot.version !== '1') throw refuse(`Cannot restore: snapshot version '${snapshot.version}' is not known`)
  if (!STATUSES.includes(snapshot.status)) throw refuse(`Cannot restore: status '${snapshot.status}' is not one of ${STATUSES.join(', ')}`)
}

function checkPosition(snapshot: EngineSnapshot, registry: WorkflowRegistry): void {
  const current = registry.get(snapshot.currentWorkflowId)
  if (current === undefined) throw refuse(`Cannot restore: current workflow '${snapshot.currentWorkflowId}' not found in registry`)
  if (!Object.hasOwn(current.nodes, snapshot.currentNodeId)) throw refuse(`Cannot restore: current node '${snapshot.currentNodeId}' not found in workflow '${snapshot.currentWorkflowId}'`)
  for (const frame of snapshot.stack) {
    const workflow = registry.get(frame.workflowId)
    if (workflow === undefined) throw refuse(`Cannot restore: stack frame references workflow '${frame.workflowId}' not found in registry`)
    if (!Object.hasOwn(workflow.nodes, frame.currentNodeId)) throw refuse(`Cannot restore: stack frame references node '${frame.currentNodeId}' not found in workflow '${frame.workflowId}'`)
  }
}

/** Guards without a function get the one of their name (D13). */
function resolveGuards(snapshot: EngineSnapshot, registry: WorkflowRegistry, guards: NonNullable<RestoreOptions['guards']>): void {
  for (const id of snapshot.workflowIds) {
    for (const edge of registry.get(id)?.edges ?? []) {
      if (edge.guard?.type !== 'custom') continue
      const guard = edge.guard as Partial<CustomGuard>
      if (typeof guard.evaluate === 'function') continue
      const named = guard.name !== undefined && Object.hasOwn(guards, guard.name) ? guards[guard.name] : undefined
      if (named === undefined) throw refuse(`Cannot restore: workflow '${id}', edge '${edge.id}' has an unresolved custom guard`)
      guard.evaluate = named
    }
  }
}

function refuse(message: string): EngineError {
  return new EngineError(message, { code: 'R2058' })
}
