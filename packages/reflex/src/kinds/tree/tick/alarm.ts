import type { StepContext } from '../../../kernel/index.ts'
import type { LaidNode } from '../compile/layout.ts'
import { faults } from '../model/faults.ts'
import { DEFAULT_LIMIT_MS, type Ticking } from './ticking.ts'
import { IS_RUNNING, type TreeState } from './tree-state.ts'

/** The time for which a node may be RUNNING before a warning. */
const WARNING_MS = 30_000

/** Sets the one timer of a frame: only an earlier time replaces it, and none is left when the tree rests. */
export function setAlarm(x: StepContext, state: TreeState, time: number | undefined): void {
  const { alarm } = state
  if (alarm !== undefined && time !== undefined && alarm.due <= time && alarm.due > x.now) return
  if (alarm !== undefined) x.drop(alarm.ref)
  state.alarm = time === undefined ? undefined : { ref: x.wait('timer', 'alarm', { due: time }), due: time }
}

/**
 * Judges what has been RUNNING without progress for as long as the tree allows: it is made to fail, so that its parent can react (UB-01). Leaves
 * with a limit of their own, and those that end by themselves, are not judged. Returns the next time at which a leaf may be judged.
 */
export function watch(tick: Ticking): void {
  const { state } = tick
  for (const node of state.layout.nodes) {
    if (!isJudged(state, node)) continue
    const limit = node.tree.source.max_tick_duration_ms ?? DEFAULT_LIMIT_MS
    const progress = state.progress(node.index)
    if (tick.now >= progress + limit) tick.force(node, stuck(tick, node, limit))
    else if (limit > WARNING_MS && tick.now === progress + WARNING_MS) warn(tick, node, limit)
  }
}

/** Returns the earliest time at which the watchdog has something to say. */
export function watchTime(tick: Ticking): number | undefined {
  const { state } = tick
  let least: number | undefined
  for (const node of state.layout.nodes) {
    if (!isJudged(state, node)) continue
    const limit = node.tree.source.max_tick_duration_ms ?? DEFAULT_LIMIT_MS
    const progress = state.progress(node.index)
    const time = limit > WARNING_MS && tick.now < progress + WARNING_MS ? progress + WARNING_MS : progress + limit
    if (least === undefined || time < least) least = time
  }
  return least
}

function isJudged(state: TreeState, node: LaidNode): boolean {
  if (state.state(node) !== IS_RUNNING || node.manifest.role !== 'leaf' || node.manifest.behaviour.endsByItself === true) return false
  const due = state.operation(node.index)?.due ?? 0
  return due === 0 && node.children.length === 0
}

function stuck(tick: Ticking, node: LaidNode, limit: number): ReturnType<typeof faults.make> {
  const since = tick.state.since(node.index)
  tick.emit('tree.watchdog.timeout', { node_id: node.id, node_path: node.path, running_duration_ms: tick.now - since, timeout_ms: limit })
  return faults.make('R1233', `${node.path} was RUNNING for ${tick.now - since} ms, of which ${limit} ms without progress`, {
    rule: 'E3003',
    path: node.path,
    data: { node_path: node.path, duration_ms: tick.now - since, limit_ms: limit, last_progress_at: tick.state.progress(node.index) },
  })
}

function warn(tick: Ticking, node: LaidNode, limit: number): void {
  tick.emit('tree.watchdog.warning', {
    node_id: node.id,
    node_path: node.path,
    running_duration_ms: tick.now - tick.state.since(node.index),
    warning_threshold_ms: WARNING_MS,
    timeout_ms: limit,
  })
}
