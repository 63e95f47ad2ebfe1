import type { Frame } from '../kernel/frame.ts'
import { boardEntry } from './blackboard.ts'
import { nodeAt } from './compile.ts'
import { frameScope, type WorkflowNames } from './scopes.ts'
import type { BlackboardEntry, InvocationId, StackFrame } from './types.ts'

/** The name of the call that made a frame; the root has none. */
export function invocationOf(frame: Frame): InvocationId | undefined {
  return frame.link === undefined ? undefined : String(frame.id)
}

/** The entries of one frame's own scope, as of a record. */
export function localEntries(frame: Frame, names: WorkflowNames, bound?: number): BlackboardEntry[] {
  const { scope, source, bound: upTo } = frameScope(frame, names, bound)
  return [...scope.entries(upTo)].flatMap((entry) => (entry.value === undefined ? [] : [boardEntry(entry, source(entry))]))
}

const EMPTY: readonly StackFrame[] = Object.freeze([])

/** The callers of a frame, the nearest first, as copies that nobody can write through (seed workflow 2.9); their boards as of a record, if one is given. */
export function stackOf(frame: Frame, names: WorkflowNames, bound?: number): readonly StackFrame[] {
  if (frame.link === undefined) return EMPTY
  const stack: StackFrame[] = []
  for (let callee = frame; callee.link !== undefined; callee = callee.link.caller) stack.push(stackFrame(callee, names, bound))
  return Object.freeze(stack)
}

/** The caller of a frame as it waits for it; its board as of a record, if one is given. */
export function stackFrame(callee: Frame, names: WorkflowNames, bound?: number): StackFrame {
  const { link } = callee
  if (link === undefined) throw new TypeError('the root has no caller')
  const { caller } = link
  const invocationId = invocationOf(caller)
  return Object.freeze({
    workflowId: names(caller),
    currentNodeId: nodeAt(caller.position) ?? '',
    returnMap: Object.freeze(link.map.map(([parentKey, childKey]) => Object.freeze({ parentKey, childKey }))) as StackFrame['returnMap'],
    get blackboard() {
      return localEntries(caller, names, bound)
    },
    ...(invocationId === undefined ? {} : { invocationId }),
  })
}
