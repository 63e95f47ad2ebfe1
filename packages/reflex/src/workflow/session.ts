import { type Frame, topOf } from '../kernel/frame.ts'
import type { Host } from '../kernel/host.ts'
import { copyJson, type Json } from '../kernel/json.ts'
import { type Program, pinOf } from '../kernel/program.ts'
import { FORMAT, type Pin } from '../kernel/record.ts'
import type { Run } from '../kernel/run.ts'
import { loadState, type StoredState } from '../kernel/snapshot.ts'
import type { State } from '../kernel/state.ts'
import { hasReturned, nodeAt } from './compile.ts'
import { EngineError } from './engine-error.ts'
import type { WorkflowNames } from './scopes.ts'
import { localEntries, stackOf } from './stack.ts'
import type { BlackboardEntry, CursorReader, EngineSnapshot, EngineStatus, ExecutionTreeState, ReturnMapping } from './types.ts'

/** The version of snapshots that this release writes; it reads "1" too. */
export const SNAPSHOT_VERSION = '2'

interface SnapshotParts {
  readonly names: WorkflowNames
  readonly status: EngineStatus
  readonly workflowIds: string[]
  readonly tree: ExecutionTreeState
  readonly host: Host
}

/** A session as JSON (reference workflow 12). */
export function snapshotOf(run: Run, { names, status, workflowIds, tree, host }: SnapshotParts): EngineSnapshot {
  const top = topOf(run.state.root)
  const text = JSON.stringify({
    version: SNAPSHOT_VERSION,
    createdAt: isoTime(host.now()),
    sessionId: run.id,
    status,
    currentWorkflowId: names(top),
    currentNodeId: nodeAt(top.position) ?? '',
    currentBlackboard: localEntries(top, names),
    stack: stackOf(top, names),
    skipInvocation: hasReturned(top.position),
    workflowIds,
    executionTree: tree,
    ...(top.link === undefined ? {} : { currentInvocationId: String(top.id) }),
  })
  return JSON.parse(text) as EngineSnapshot
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

type StoredFrame = StoredState['frames'][number]

/**
 * The state that a snapshot describes. Whatever it was doing, it waits: the next step goes on from there, as a
 * resume does.
 */
export function stateOf(snapshot: EngineSnapshot, program: (id: string) => Program | undefined, host: Host): State {
  const pins: Pin[] = []
  const pin = (id: string): number => {
    const found = program(id)
    if (found === undefined) throw new EngineError(`Cannot restore: registry is missing workflow(s): '${id}'`, { code: 'R2058' })
    pins.push(pinOf(found))
    return pins.length - 1
  }
  const at = host.now()
  const n = highestRecord(snapshot)
  const frames: StoredFrame[] = []
  const callers = [...snapshot.stack].reverse()
  callers.forEach((caller, depth) => {
    frames.push(storedFrame(depth, pin(caller.workflowId), caller.currentNodeId, caller.blackboard, frames, callers[depth - 1]?.returnMap, caller.invocationId))
  })
  const top = frames.length
  const position: Json = snapshot.skipInvocation ? [snapshot.currentNodeId, 1] : snapshot.currentNodeId
  frames.push(storedFrame(top, pin(snapshot.currentWorkflowId), position, snapshot.currentBlackboard, frames, callers[top - 1]?.returnMap, snapshot.currentInvocationId))
  const last = frames.at(-1)?.id ?? 0
  return loadState({
    n,
    time: at,
    questions: 1,
    start: { v: FORMAT, run: snapshot.sessionId, trace: host.entropy(), seed: host.entropy(), at, pins },
    ...(snapshot.status === 'completed' ? { ended: ['done'] as const } : {}),
    pins,
    frames,
    waits: snapshot.status === 'completed' ? [] : [[`${n}w`, last, 'answer', snapshot.currentNodeId, null, { reason: 'restored' }, n, null, 1]],
    queue: [],
  })
}

/** Frames keep the names of their calls, so new ones must begin after the highest of those. */
function highestRecord(snapshot: EngineSnapshot): number {
  const numbers = snapshot.executionTree.records.map(({ invocationId }) => (/^\d+f$/.test(invocationId) ? Number.parseInt(invocationId, 10) : 0))
  return Math.max(snapshot.stack.length + 1, ...numbers)
}

function storedFrame(depth: number, pin: number, position: Json, board: readonly BlackboardEntry[], below: readonly StoredFrame[], map: readonly ReturnMapping[] | undefined, id: string | undefined): StoredFrame {
  const caller = below[depth - 1]
  return {
    id: depth === 0 ? 0 : (id ?? `${depth}f`),
    pin,
    position,
    ...(caller === undefined ? {} : { link: { caller: caller.id, role: 'call', sees: 'live', record: 0, under: null, map: (map ?? []).map(({ parentKey, childKey }) => [parentKey, childKey] as const) } }),
    scope: board.map(({ key, value, source, timestamp }) => {
      const label = source.nodeId.startsWith('__') ? null : source.nodeId
      return [key, 0, timestamp, label, copyJson(value, key)] as const
    }),
  }
}

/** A reader that goes on from where one left off (reference workflow 8). */
export function cursorReader(entries: () => BlackboardEntry[]): CursorReader {
  return {
    cursor: () => entries().length,
    entriesFrom(cursor) {
      const all = entries()
      return [all.slice(Math.max(cursor, 0)), all.length]
    },
  }
}

/** The frame at a depth below a frame, the root being 0. */
export function frameAtDepth(top: Frame, depth: number): Frame {
  let at = top
  while (at.depth > depth && at.link !== undefined) at = at.link.caller
  return at
}
