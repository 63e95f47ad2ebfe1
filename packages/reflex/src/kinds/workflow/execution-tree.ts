import { checkArguments } from '../../text/index.ts'
import { CALLS } from './argument-forms.ts'
import type { ExecutionRecord, ExecutionStatus, ExecutionTreeMap, ExecutionTreeState, InvocationId } from './types.ts'

/** A call that is about to be made; the caller names it. */
export type ExecutionCall = Omit<ExecutionRecord, 'status' | 'childInvocationIds'>

interface Execution {
  readonly call: ExecutionCall
  status: ExecutionStatus
  readonly children: InvocationId[]
}

/**
 * Which workflow called which, and which of those calls still count (reference workflow 15).
 *
 * A call that returned is completed. A call that is made again from the same node, inside the same call, makes the
 * earlier one and all within it invalid; so does unwinding. A call that encloses another is never touched by it,
 * also when a workflow calls itself (D1). What it hands out is frozen and does not change later.
 */
export class ExecutionTree {
  readonly #executions = new Map<InvocationId, Execution>()
  readonly #sites = new Map<string, InvocationId[]>()

  /** Empty, or as it was when `state` was taken. */
  constructor(state: ExecutionTreeState = { records: [] }) {
    checkArguments('ExecutionTree', { state: [state, CALLS] })
    for (const { status, childInvocationIds, ...call } of state.records) {
      this.#add({ call: frozenCall(call), status, children: [...childInvocationIds] })
    }
  }

  /**
   * Notes a call. Earlier calls from the same place no longer count: their ids come back as `invalidated`.
   * Throws a `TypeError` when the id has been used.
   */
  push(call: ExecutionCall): { readonly record: ExecutionRecord; readonly invalidated: InvocationId[] } {
    if (this.#executions.has(call.invocationId)) throw new TypeError(`invocation ${call.invocationId} was pushed before`)
    const invalidated = this.supersede(call)
    const execution: Execution = { call: frozenCall(call), status: 'active', children: [] }
    this.#add(execution)
    if (call.parentInvocationId !== undefined) this.#executions.get(call.parentInvocationId)?.children.push(call.invocationId)
    return { record: recordOf(execution), invalidated }
  }

  /** The first half of `push`, for those who tell of it before the call is made: gives the ids that no longer count. */
  supersede(place: Pick<ExecutionCall, 'parentInvocationId' | 'parentWorkflowId' | 'parentNodeId'>): InvocationId[] {
    const earlier = this.#sites.get(siteOf(place)) ?? []
    // What was invalid before this call stays so, and need not be looked at again.
    this.#sites.set(siteOf(place), [])
    return this.invalidate(earlier)
  }

  /** A call has returned. Only an active one becomes completed; gives its record, if there is one. */
  pop(id: InvocationId): ExecutionRecord | undefined {
    const execution = this.#executions.get(id)
    if (execution?.status === 'active') execution.status = 'completed'
    return execution === undefined ? undefined : recordOf(execution)
  }

  /** Calls, and all calls within them, no longer count. Gives the ids for which this is new. */
  invalidate(ids: Iterable<InvocationId>): InvocationId[] {
    const within = new Set(ids)
    const changed: InvocationId[] = []
    // A set visits what is added while it is walked.
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

  /** Calls that have not returned. */
  activeExecutions(): ExecutionRecord[] {
    return this.#select(({ status }) => status === 'active')
  }

  /** Calls made by a node that have returned and still count. */
  completedExecutionsAt(workflowId: string, nodeId: string): ExecutionRecord[] {
    return this.#select(
      ({ status, call }) => status === 'completed' && call.parentWorkflowId === workflowId && call.parentNodeId === nodeId,
    )
  }

  /** Calls that no longer count. */
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
