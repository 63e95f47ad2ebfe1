import { z } from 'zod'
import {
  type Wait,
  type Host,
  copyJson,
  type Json,
  type Program,
  pinOf,
  FORMAT,
  type Pin,
  loadState,
  type StoredState,
  type State,
} from '../../../kernel/index.ts'
import { hasReturned, nodeAt } from '../model/compile.ts'
import type { EngineView } from './events.ts'
import { reservedNode, type WorkflowNames } from '../step/scopes.ts'
import { findFunction } from '../guards/find-function.ts'
import { invocationFrame, invocationName, invocationOf, localEntries, stackOf } from '../step/stack.ts'
import type { BlackboardEntry, EngineSnapshot, ExecutionTreeState, ReturnMapping, CustomGuard, GuardRegistry } from '../types/index.ts'
import { shortJson } from '../../../text/index.ts'
import { EngineError } from '../step/engine-error.ts'
import type { WorkflowRegistry } from './registry.ts'

/** The version of snapshots that this release writes. It also reads "1". */
export const SNAPSHOT_VERSION = '2'

type SnapshotContext = Pick<EngineSnapshot, 'createdAt' | 'sessionId' | 'status' | 'workflowIds' | 'executionTree'> & {
  readonly names: WorkflowNames
  readonly wait: Wait | undefined
}

/** Returns the view of an engine as JSON (reference workflow 12). */
export function snapshotOf({ frame, position, bound, callers }: EngineView, { names, wait, ...context }: SnapshotContext): EngineSnapshot {
  const currentInvocationId = invocationOf(frame, context.sessionId)
  const snapshot: EngineSnapshot = {
    version: SNAPSHOT_VERSION,
    ...context,
    currentWorkflowId: names(frame),
    currentNodeId: nodeAt(position) ?? '',
    currentBlackboard: localEntries(frame, names, bound),
    stack: [...stackOf(frame, names, context.sessionId, callers)],
    skipInvocation: hasReturned(position),
    ...(currentInvocationId === undefined ? {} : { currentInvocationId }),
    ...(wait === undefined
      ? {}
      : { suspension: { name: wait.name, about: wait.about ?? null, ...(wait.due === undefined ? {} : { due: wait.due }) } }),
  }
  return JSON.parse(JSON.stringify(snapshot)) as EngineSnapshot
}

const entry = z.object({ key: z.string(), value: z.json(), source: z.object({ nodeId: z.string() }), timestamp: z.number() })
const mapping = z.object({ parentKey: z.string(), childKey: z.string() })
const stackFrame = z.object({
  workflowId: z.string(),
  currentNodeId: z.string(),
  returnMap: z.array(mapping),
  blackboard: z.array(entry),
  invocationId: z.string().optional(),
})
const execution = z.object({
  invocationId: z.string(),
  parentInvocationId: z.string().optional(),
  parentWorkflowId: z.string(),
  parentNodeId: z.string(),
  childWorkflowId: z.string(),
  returnMap: z.array(mapping).optional(),
  status: z.enum(['active', 'completed', 'invalidated']),
  childInvocationIds: z.array(z.string()),
})

/** The schema of a snapshot that can be restored. Version "1" has no execution tree. */
export const snapshotSchema = z.object({
  version: z.enum(['1', SNAPSHOT_VERSION]),
  sessionId: z.string().min(1),
  status: z.enum(['running', 'suspended', 'completed']),
  currentWorkflowId: z.string(),
  currentNodeId: z.string(),
  currentBlackboard: z.array(entry),
  stack: z.array(stackFrame),
  skipInvocation: z.boolean(),
  workflowIds: z.array(z.string()),
  executionTree: z.object({ records: z.array(execution) }).optional(),
  currentInvocationId: z.string().optional(),
  suspension: z.object({ name: z.string(), about: z.json(), due: z.number().optional() }).optional(),
})

type StoredFrame = StoredState['frames'][number]
type StoredWait = StoredState['waits'][number]

/** Returns the state of a snapshot. A restored session always waits: the next step continues it as a resume does. */
export function stateOf(snapshot: EngineSnapshot, program: (id: string) => Program, host: Host): State {
  const pins: Pin[] = []
  const pin = (id: string): number => pins.push(pinOf(program(id))) - 1
  const at = host.now()
  const n = highestRecord(snapshot)
  const { currentWorkflowId, currentNodeId, currentBlackboard, currentInvocationId, skipInvocation, suspension, status } = snapshot
  const activations = [
    ...[...snapshot.stack].reverse().map((caller) => ({ ...caller, position: caller.currentNodeId as Json })),
    {
      workflowId: currentWorkflowId,
      position: skipInvocation ? [currentNodeId, 1] : currentNodeId,
      blackboard: currentBlackboard,
      returnMap: [],
      invocationId: currentInvocationId,
    },
  ]
  const frames: StoredFrame[] = []
  for (const [depth, { workflowId, position, blackboard, invocationId }] of activations.entries()) {
    frames.push({
      id: depth === 0 ? 0 : invocationId === undefined ? `${depth}f` : invocationFrame(invocationId, snapshot.sessionId),
      pin: pin(workflowId),
      position,
      ...callerLink(frames.at(-1), activations[depth - 1]?.returnMap ?? []),
      scope: storedScope(blackboard, depth),
    })
  }
  const top = frames.at(-1)?.id ?? 0
  const ended = status === 'completed'
  const { name, about, due } = suspension ?? { name: currentNodeId, about: { reason: 'restored' } }
  const wait: StoredWait = [`${n}w`, top, 'answer', name, due ?? null, copyJson(about, 'suspension'), n, null, 1]
  return loadState({
    n,
    time: at,
    questions: 1,
    start: { v: FORMAT, run: snapshot.sessionId, trace: host.entropy(), seed: host.entropy(), at, pins },
    ...(ended ? { ended: ['done'] as const } : {}),
    pins,
    frames,
    waits: ended ? [] : [wait],
    queue: [],
  })
}

function callerLink(caller: StoredFrame | undefined, map: readonly ReturnMapping[]): Pick<StoredFrame, 'link'> {
  if (caller === undefined) return {}
  const pairs = map.map(({ parentKey, childKey }) => [parentKey, childKey] as const)
  return { link: { caller: caller.id, role: 'call', sees: 'live', record: 0, under: null, map: pairs } }
}

/** Returns the calls of a snapshot by their current names: earlier releases left out the session. */
export function renamedCalls({ sessionId, executionTree }: EngineSnapshot): ExecutionTreeState {
  const named = (id: string): string => invocationName(id, sessionId)
  const records = (executionTree ?? { records: [] }).records.map(({ invocationId, parentInvocationId, childInvocationIds, ...rest }) => ({
    ...rest,
    invocationId: named(invocationId),
    ...(parentInvocationId === undefined ? {} : { parentInvocationId: named(parentInvocationId) }),
    childInvocationIds: childInvocationIds.map(named),
  }))
  return { records }
}

/** Returns the stored scope of a board. The source of an entry follows from its frame and node, so only the node is stored. */
function storedScope(board: readonly BlackboardEntry[], depth: number): StoredFrame['scope'] {
  return board.map(({ key, value, source, timestamp }) => {
    const label = source.nodeId === reservedNode(depth) ? null : source.nodeId
    return [key, 0, timestamp, label, copyJson(value, key)] as const
  })
}

/** Returns the highest record that names a call. Calls are named after their records, so new records must have higher numbers. */
function highestRecord({ stack, currentInvocationId, executionTree }: EngineSnapshot): number {
  const ids = [...executionTree.records, ...stack, { invocationId: currentInvocationId }].map(({ invocationId }) => invocationId)
  const numbers = ids.map((id) => Number(/(?:^|:)(\d+)f$/.exec(id ?? '')?.[1] ?? 0))
  return Math.max(stack.length + 1, ...numbers)
}

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
      const named = guard.name === undefined ? undefined : findFunction(guards, guard.name, guard.version)?.evaluate
      if (named === undefined) throw restoreError(`workflow '${id}', edge '${edge.id}' has an unresolved custom guard`)
      guard.evaluate = named
    }
  }
}

function restoreError(what: string): EngineError {
  return new EngineError(`Cannot restore: ${what}`, { code: 'R2058' })
}
