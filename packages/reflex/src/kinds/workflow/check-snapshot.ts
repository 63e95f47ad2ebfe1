import { shortJson } from '../../text/index.ts'
import { EngineError } from './engine-error.ts'
import type { WorkflowRegistry } from './registry.ts'
import { snapshotSchema } from './snapshot.ts'
import type { CustomGuard, EngineSnapshot, GuardRegistry } from './types.ts'

/**
 * Throws `EngineError` if a snapshot does not fit a registry: its shape, version and status (D13), then its workflows, its
 * position and its stack. With `guards`, guards without a function get the function of their name.
 */
export function checkSnapshot(snapshot: EngineSnapshot, registry: WorkflowRegistry, guards?: GuardRegistry): void {
  checkShape(snapshot)
  const missing = snapshot.workflowIds.filter((id) => !registry.has(id))
  if (missing.length > 0) throw restoreError(`registry is missing workflow(s): ${missing.map((id) => `'${id}'`).join(', ')}`)
  checkPosition(registry, snapshot.currentWorkflowId, snapshot.currentNodeId, ['current workflow', 'current node'])
  for (const { workflowId, currentNodeId } of snapshot.stack) {
    checkPosition(registry, workflowId, currentNodeId, ['stack frame references workflow', 'stack frame references node'])
  }
  if (guards !== undefined) resolveGuards(snapshot, registry, guards)
}

function checkShape(snapshot: EngineSnapshot): void {
  const issue = snapshotSchema.safeParse(snapshot).error?.issues[0]
  if (issue === undefined) return
  const field = issue.path[0]
  if (field === 'version' || field === 'status') throw restoreError(`${field} ${shortJson(snapshot[field])} is not known`)
  throw restoreError(`this is not a snapshot of an engine: ${issue.path.join('.') || 'the value'}: ${issue.message}`)
}

function checkPosition(
  registry: WorkflowRegistry,
  workflowId: string,
  nodeId: string,
  [workflowName, nodeName]: readonly [string, string],
): void {
  const workflow = registry.get(workflowId)
  if (workflow === undefined) throw restoreError(`${workflowName} '${workflowId}' not found in registry`)
  if (!Object.hasOwn(workflow.nodes, nodeId)) throw restoreError(`${nodeName} '${nodeId}' not found in workflow '${workflowId}'`)
}

function resolveGuards(snapshot: EngineSnapshot, registry: WorkflowRegistry, guards: GuardRegistry): void {
  for (const id of snapshot.workflowIds) {
    for (const edge of registry.get(id)?.edges ?? []) {
      if (edge.guard?.type !== 'custom') continue
      const guard = edge.guard as Partial<CustomGuard>
      if (typeof guard.evaluate === 'function') continue
      const named = guard.name !== undefined && Object.hasOwn(guards, guard.name) ? guards[guard.name] : undefined
      if (named === undefined) throw restoreError(`workflow '${id}', edge '${edge.id}' has an unresolved custom guard`)
      guard.evaluate = named
    }
  }
}

function restoreError(what: string): EngineError {
  return new EngineError(`Cannot restore: ${what}`, { code: 'R2058' })
}
