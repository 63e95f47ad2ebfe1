import type { Frame } from '../../kernel/state/frame.ts'
import type { Json } from '../../kernel/journal/json.ts'
import { scopeEntries } from './blackboard.ts'
import { nodeAt } from './compile.ts'
import { frameScope, type WorkflowNames } from './scopes.ts'
import type { BlackboardEntry, InvocationId, ReturnMapping, StackFrame } from './types.ts'

/** The name of the call that made a frame; the root has none. */
export function invocationOf(frame: Frame, session: string): InvocationId | undefined {
  return frame.link === undefined ? undefined : invocationName(String(frame.id), session)
}

/** Frames are numbered by the records of their session: with the session in front, names of calls are unique over sessions. */
export function invocationName(frame: string, session: string): InvocationId {
  return /^\d+f$/.test(frame) ? `${session}:${frame}` : frame
}

/** The frame that a call of a session has made, by the name of the call. */
export function invocationFrame(id: InvocationId, session: string): string {
  return id.startsWith(`${session}:`) ? id.slice(session.length + 1) : id
}

/** The entries of one frame's own scope up to a record. */
export function localEntries(frame: Frame, names: WorkflowNames, bound?: number): BlackboardEntry[] {
  return scopeEntries(frameScope(frame, names, bound))
}

const EMPTY: readonly StackFrame[] = Object.freeze([])

/** The callers of a frame, the nearest first (seed workflow 2.9); their boards as of a record, if one is given. */
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

/** Views of callers, by their callees: a caller stands still meanwhile, so each view is made once. */
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
 * A frame as it stands now, as a copy that nobody can write through and that does not change later. Its board is
 * read when somebody looks at it: most do not.
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

/** The seed's types say that the lists are arrays; nobody may write to them all the same. */
function frozenList<Item>(items: Item[]): Item[] {
  return Object.freeze(items) as Item[]
}

/** The frame at a depth below a frame, the root being 0. */
export function frameAtDepth(top: Frame, depth: number): Frame {
  let at = top
  while (at.depth > depth && at.link !== undefined) at = at.link.caller
  return at
}
