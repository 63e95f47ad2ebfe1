import type { Fault, JsonObject } from '../../../kernel/index.ts'
import type { LaidNode } from '../compile/layout.ts'
import { faults } from '../model/faults.ts'
import { IS_RUNNING } from './states.ts'
import type { TreeState } from './tree-state.ts'

/** What the watchdog needs of a tick. */
interface WatchedTick {
  readonly now: number
  readonly state: TreeState
  wake(time: number): void
  waits(node: LaidNode): boolean
  emit(type: string, payload: JsonObject): void
}

/** The time for which a node may be RUNNING without progress unless its tree says otherwise. */
const DEFAULT_LIMIT_MS = 60_000
/** The time for which a node may be RUNNING without progress before a warning. */
const WARNING_MS = 30_000

/**
 * Judges a leaf that has answered RUNNING (UB-01). Returns the fault of one that was RUNNING without progress for as long as its tree allows: it is
 * made to fail, so that its parent can react. The tree is ticked again when the next judgement is due.
 */
export function judge(tick: WatchedTick, node: LaidNode): Fault | undefined {
  const limit = limitFor(tick, node)
  if (limit === undefined) return undefined
  const { state, now } = tick
  const progress = state.progress(node.index)
  if (now >= progress + limit) return stuck(tick, node, limit)
  tick.wake(progress + limit)
  if (limit <= WARNING_MS || state.isWarned(node.index)) return undefined
  if (now >= progress + WARNING_MS) warn(tick, node, limit)
  else tick.wake(progress + WARNING_MS)
  return undefined
}

/**
 * Returns the limit that holds for a leaf; undefined for one that waits for a time of its own, for a person or for another program. A limit that its
 * trees state holds for operations with a longer timeout, too (UB-07).
 */
function limitFor(tick: WatchedTick, node: LaidNode): number | undefined {
  const isParent = node.children.some((child) => tick.state.state(child) === IS_RUNNING)
  if (node.manifest.role !== 'leaf' || isParent || tick.waits(node)) return undefined
  const stated = statedLimit(node)
  const due = tick.state.operation(node.index)?.due ?? 0
  return due === 0 ? (stated ?? DEFAULT_LIMIT_MS) : due > 0 ? stated : undefined
}

/** The least limit that the tree of a node, or one that refers to it, states. */
function statedLimit(node: LaidNode): number | undefined {
  let least: number | undefined
  for (let at: LaidNode | undefined = node; at !== undefined; at = at.parent) {
    const limit = at.tree.source.max_tick_duration_ms
    if (limit !== undefined && (least === undefined || limit < least)) least = limit
  }
  return least
}

function stuck({ now, state }: WatchedTick, node: LaidNode, limit: number): Fault {
  const duration = now - state.since(node.index)
  const progress = state.progress(node.index)
  return faults.make('R1233', `${node.path} was RUNNING for ${duration} ms, the last ${now - progress} ms without progress`, {
    rule: 'E3003',
    path: node.path,
    data: { running_duration_ms: duration, duration_ms: duration, limit_ms: limit, timeout_ms: limit, last_progress_at: progress },
  })
}

function warn(tick: WatchedTick, node: LaidNode, limit: number): void {
  tick.state.setWarned(node.index)
  tick.emit('tree.watchdog.warning', {
    node_id: node.id,
    node_path: node.path,
    running_duration_ms: tick.now - tick.state.since(node.index),
    warning_threshold_ms: WARNING_MS,
    timeout_ms: limit,
  })
}
