import type { StepContext } from '../../../kernel/index.ts'
import type { TreeState } from './tree-state.ts'

/** Sets the one timer of a frame to a time of the tree: only an earlier time replaces it, and none is left when the tree rests. */
export function setAlarm(x: StepContext, state: TreeState, time: number | undefined): void {
  const { alarm, stopped } = state
  const due = time === undefined ? undefined : time + stopped
  if (alarm !== undefined && due !== undefined && alarm.due <= due && alarm.due > x.now) return
  if (alarm !== undefined) x.drop(alarm.ref)
  state.alarm = due === undefined ? undefined : { ref: x.wait('timer', 'alarm', { due }), due }
}
