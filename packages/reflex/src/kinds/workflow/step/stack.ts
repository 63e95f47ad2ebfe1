import type { Frame, Json } from '../../../kernel/index.ts'
import { scopeEntries } from './blackboard.ts'
import { nodeAt } from '../model/compile.ts'
import { frameScope, type WorkflowNames } from './scopes.ts'
import type { BlackboardEntry, InvocationId, ReturnMapping, StackFrame } from '../types/index.ts'

/** Returns the name of the call that created a frame; undefined for the root. */
export function invocationOf(frame: Frame, session: string): InvocationId | undefined {
  return frame.link === undefined ? undefined : invocationName(String(frame.id), session)
}

/** Returns the name of a call. Frames are numbered by the records of their session, so the session makes the name unique. */
export function invocationName(frame: string, session: string): InvocationId {
  return /^\d+f$/.test(frame) ? `${session}:${frame}` : frame
}

/** Returns the frame that a call of a session created, by the name of the call. */
export function invocationFrame(id: InvocationId, session: string): string {
  return id.startsWith(`${session}:`) ? id.slice(session.length + 1) : id
}

/** Returns the entries of a frame's own scope up to a record. */
export function localEntries(frame: Frame, names: WorkflowNames, bound?: number): BlackboardEntry[] {
  return scopeEntries(frameScope(frame, names, bound))
}

const EMPTY: readonly StackFrame[] = Object.freeze([])

/** Returns the callers of a frame, nearest first (seed workflow 2.9), with their boards as of a record, if one is given. */
export function stackOf(frame: Frame, names: WorkflowNames, session: string, bound?: number): readonly StackFrame[] {
  if (frame.link === undefined) return EMPTY
  const stack: StackFrame[] = []
  for (let callee = frame; callee.link !== undefined; callee = callee.link.caller) {
    stack.push(callerOf(callee, callee.link, names, session, bound))
  }
  return Object.freeze(stack)
}

interface CachedFrame {
  readonly size: number
  readonly position: Json | undefined
  readonly frame: StackFrame
}

/** Views of callers by their callees. A caller does not change meanwhile, so each view is created once. */
const cachedFrames = new WeakMap<Frame, CachedFrame>()

function callerOf(
  callee: Frame,
  { caller, map }: NonNullable<Frame['link']>,
  names: WorkflowNames,
  session: string,
  bound?: number,
): StackFrame {
  const { scope, position } = caller
  const { size } = scope
  if (bound !== undefined && scope.sizeAt(bound) < size) return stackFrame(caller, map, names, session, bound)
  const known = cachedFrames.get(callee)
  if (known !== undefined && known.size === size && known.position === position) return known.frame
  const frame = stackFrame(caller, map, names, session, bound)
  cachedFrames.set(callee, { size, position, frame })
  return frame
}

/**
 * Returns a frozen copy of a frame as of now, which does not change later. Its board is read on demand, because most readers do
 * not need it.
 */
export function stackFrame(
  frame: Frame,
  map: readonly (readonly [parentKey: string, childKey: string])[],
  names: WorkflowNames,
  session: string,
  bound?: number,
): StackFrame {
  const invocationId = invocationOf(frame, session)
  const { size } = frame.scope
  let board: BlackboardEntry[] | undefined
  return Object.freeze({
    workflowId: names(frame),
    currentNodeId: nodeAt(frame.position) ?? '',
    returnMap: frozenList(map.map(([parentKey, childKey]): ReturnMapping => Object.freeze({ parentKey, childKey }))),
    get blackboard() {
      board ??= frozenList(scopeEntries(frameScope(frame, names), 0, Math.min(size, frame.scope.sizeAt(bound ?? Number.POSITIVE_INFINITY))))
      return board
    },
    ...(invocationId === undefined ? {} : { invocationId }),
  })
}

/** Returns a frozen list. The seed's types declare arrays, but writing to them throws. */
function frozenList<Item>(items: Item[]): Item[] {
  return Object.freeze(items) as Item[]
}

/** Returns the frame at a depth below a frame; the root has depth 0. */
export function frameAtDepth(top: Frame, depth: number): Frame {
  let at = top
  while (at.depth > depth && at.link !== undefined) at = at.link.caller
  return at
}
