import type { Rec, Ref, ReturnPair, State } from '../../../kernel/index.ts'
import { nodeAt } from '../model/compile.ts'
import { ExecutionTree } from './execution-tree.ts'
import { invocationName, invocationOf } from '../step/stack.ts'
import type { ExecutionRecord, ExecutionTreeState, InvocationId } from '../types/index.ts'

/** A frame and the call that created it. */
interface CallSite {
  readonly workflowId: string
  readonly invocation: InvocationId | undefined
  /** The record that made the call; 0 for the root. */
  readonly record: number
  readonly map: readonly ReturnPair[]
  node: string
}

/** The changes found in new records. */
export interface CallChanges {
  readonly calls: ExecutionRecord[]
  readonly invalidated: InvocationId[]
}

/**
 * The execution tree of a session, read from its journal on demand (reference workflow 15). A session without observers does not
 * pay for the tree.
 */
export class CallLog {
  readonly tree: ExecutionTree
  readonly #session: string
  readonly #state: State
  readonly #records: readonly Rec[]
  readonly #sites = new Map<Ref, CallSite>()
  readonly #firstRecord: number
  #readCount = 0

  constructor(session: string, state: State, records: readonly Rec[], tree?: ExecutionTreeState) {
    this.#session = session
    this.#state = state
    this.#records = records
    this.#firstRecord = state.n
    this.tree = new ExecutionTree(tree)
    for (const frame of state.frames.values()) {
      const { link } = frame
      this.#sites.set(frame.id, {
        workflowId: this.#workflow(frame.pin),
        invocation: invocationOf(frame, this.#session),
        record: link?.record ?? 0,
        map: link?.map ?? [],
        node: nodeAt(frame.position) ?? '',
      })
    }
  }

  /** Reads the records since the last call, up to the record `upTo`. */
  catchUp(upTo = Number.POSITIVE_INFINITY): CallChanges {
    const changes: CallChanges = { calls: [], invalidated: [] }
    for (; this.#readCount < this.#records.length && this.#firstRecord + this.#readCount < upTo; this.#readCount++) {
      const record = this.#records[this.#readCount]
      if (record !== undefined) this.#apply(record, this.#firstRecord + this.#readCount + 1, changes)
    }
    return changes
  }

  /** Returns the record and the return map of the call that created a frame. */
  callOf(frame: Ref): Pick<CallSite, 'record' | 'map'> {
    return this.#sites.get(frame) ?? { record: 0, map: [] }
  }

  #workflow(pin: number): string {
    const [name = '', kind = ''] = this.#state.pins[pin] ?? []
    return name.slice(kind.length + 1)
  }

  #apply(record: Rec, n: number, changes: CallChanges): void {
    if (record.more?.start !== undefined)
      this.#sites.set(0, { workflowId: this.#workflow(0), invocation: undefined, record: 0, map: [], node: '' })
    const site = this.#sites.get(record.frame)
    if (site === undefined) return
    const node = nodeAt(record.position)
    if (node !== undefined) site.node = node
    const { more } = record
    if (more?.call !== undefined) this.#addCall(site, `${n}f`, n, more.call.pin, more.call.map ?? [], changes)
    if (more?.return === undefined || site.invocation === undefined) return
    if (more.return[0] === 'done') this.tree.pop(site.invocation)
    else changes.invalidated.push(...this.tree.invalidate([site.invocation]))
  }

  #addCall(site: CallSite, id: string, record: number, pin: number, map: readonly ReturnPair[], changes: CallChanges): void {
    const childWorkflowId = this.#workflow(pin)
    const pushed = this.tree.push({
      invocationId: invocationName(id, this.#session),
      ...(site.invocation === undefined ? {} : { parentInvocationId: site.invocation }),
      parentWorkflowId: site.workflowId,
      parentNodeId: site.node,
      childWorkflowId,
      ...(map.length === 0 ? {} : { returnMap: map.map(([parentKey, childKey]) => ({ parentKey, childKey })) }),
    })
    changes.calls.push(pushed.record)
    changes.invalidated.push(...pushed.invalidated)
    this.#sites.set(id, { workflowId: childWorkflowId, invocation: invocationName(id, this.#session), record, map, node: '' })
  }
}
