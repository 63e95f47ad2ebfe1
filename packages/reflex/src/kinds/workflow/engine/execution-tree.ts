import { checkArguments } from '../../../text/index.ts'
import { CALLS } from '../model/argument-forms.ts'
import type { ExecutionRecord, ExecutionStatus, ExecutionTreeMap, ExecutionTreeState, InvocationId } from '../types/index.ts'

/** A call that is about to be made; the caller chooses its id. */
export type ExecutionCall = Omit<ExecutionRecord, 'status' | 'childInvocationIds'>

interface Execution {
  readonly call: ExecutionCall
  status: ExecutionStatus
  readonly children: InvocationId[]
}

/**
 * The calls between workflows, and their validity (reference workflow 15).
 * A call that returned is completed. A call that is repeated from the same node, inside the same call, invalidates the earlier
 * one and all calls within it; unwinding does the same. A call never invalidates a call that encloses it, also when a workflow
 * calls itself (D1). Returned records are frozen and do not change.
 */
export class ExecutionTree {
  readonly #executions = new Map<InvocationId, Execution>()
  readonly #sites = new Map<string, InvocationId[]>()

  /** Creates an empty tree, or the tree of `state`. */
  constructor(state: ExecutionTreeState = { records: [] }) {
    checkArguments('ExecutionTree', { state: [state, CALLS] })
    for (const { status, childInvocationIds, ...call } of state.records) {
      this.#add({ call: frozenCall(call), status, children: [...childInvocationIds] })
    }
  }

  /**
   * Adds a call. Earlier calls from the same place become invalid: `invalidated` has their ids. Throws a `TypeError` if the id
   * is already used.
   */
  push(call: ExecutionCall): { readonly record: ExecutionRecord; readonly invalidated: InvocationId[] } {
    if (this.#executions.has(call.invocationId)) throw new TypeError(`invocation ${call.invocationId} was pushed before`)
    const invalidated = this.supersede(call)
    const execution: Execution = { call: frozenCall(call), status: 'active', children: [] }
    this.#add(execution)
    if (call.parentInvocationId !== undefined) this.#executions.get(call.parentInvocationId)?.children.push(call.invocationId)
    return { record: recordOf(execution), invalidated }
  }

  /** Invalidates earlier calls from a place and returns their ids. It is the first half of `push`, for events that come before the call. */
  supersede(place: Pick<ExecutionCall, 'parentInvocationId' | 'parentWorkflowId' | 'parentNodeId'>): InvocationId[] {
    const earlier = this.#sites.get(siteOf(place)) ?? []
    // Calls that were invalid before stay invalid and need no further check.
    this.#sites.set(siteOf(place), [])
    return this.invalidate(earlier)
  }

  /** Marks an active call as completed. Returns the record of the call, if it exists. */
  pop(id: InvocationId): ExecutionRecord | undefined {
    const execution = this.#executions.get(id)
    if (execution?.status === 'active') execution.status = 'completed'
    return execution === undefined ? undefined : recordOf(execution)
  }

  /** Invalidates calls and all calls within them. Returns the ids that were valid before. */
  invalidate(ids: Iterable<InvocationId>): InvocationId[] {
    const within = new Set(ids)
    const changed: InvocationId[] = []
    // A set also visits items that are added during the iteration.
    for (const id of within) {
      const execution = this.#executions.get(id)
      if (execution === undefined) continue
      if (execution.status !== 'invalidated') changed.push(id)
      execution.status = 'invalidated'
      for (const child of execution.children) within.add(child)
    }
    return changed
  }

  get(id: InvocationId): ExecutionRecord | undefined {
    const execution = this.#executions.get(id)
    return execution === undefined ? undefined : recordOf(execution)
  }

  /** Returns the calls that have not returned. */
  activeExecutions(): ExecutionRecord[] {
    return this.#select(({ status }) => status === 'active')
  }

  /** Returns the calls of a node that have returned and are still valid. */
  completedExecutionsAt(workflowId: string, nodeId: string): ExecutionRecord[] {
    return this.#select(
      ({ status, call }) => status === 'completed' && call.parentWorkflowId === workflowId && call.parentNodeId === nodeId,
    )
  }

  /** Returns the calls that are no longer valid. */
  invalidatedExecutions(): ExecutionRecord[] {
    return this.#select(({ status }) => status === 'invalidated')
  }

  /** Returns every call by its id, in the order of the calls. The caller owns the map; its JSON is part of a snapshot. */
  executionTree(): ExecutionTreeMap {
    const records = Object.freeze(this.#select(() => true))
    return Object.freeze(Object.assign(new Map(records.map((record) => [record.invocationId, record] as const)), { records }))
  }

  #select(wanted: (execution: Execution) => boolean): ExecutionRecord[] {
    return [...this.#executions.values()].filter(wanted).map(recordOf)
  }

  #add(execution: Execution): void {
    const { call, status } = execution
    this.#executions.set(call.invocationId, execution)
    if (status === 'invalidated') return
    const site = siteOf(call)
    const ids = this.#sites.get(site)
    if (ids === undefined) this.#sites.set(site, [call.invocationId])
    else ids.push(call.invocationId)
  }
}

function siteOf({ parentInvocationId, parentWorkflowId, parentNodeId }: Omit<ExecutionCall, 'invocationId' | 'childWorkflowId'>): string {
  return JSON.stringify([parentInvocationId ?? null, parentWorkflowId, parentNodeId])
}

function frozenCall(call: ExecutionCall): ExecutionCall {
  const { invocationId, parentInvocationId, parentWorkflowId, parentNodeId, childWorkflowId, returnMap } = call
  return Object.freeze({
    invocationId,
    ...(parentInvocationId === undefined ? {} : { parentInvocationId }),
    parentWorkflowId,
    parentNodeId,
    childWorkflowId,
    ...(returnMap === undefined ? {} : { returnMap: Object.freeze(returnMap.map((mapping) => Object.freeze({ ...mapping }))) }),
  })
}

function recordOf({ call, status, children }: Execution): ExecutionRecord {
  return Object.freeze({ ...call, status, childInvocationIds: Object.freeze([...children]) })
}
