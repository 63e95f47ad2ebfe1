import type { StepContext } from '../../../kernel/index.ts'
import type { TreeState } from './tree-state.ts'

/** Sets the one timer of a frame: only an earlier time replaces it, and none is left when the tree rests. */
export function setAlarm(x: StepContext, state: TreeState, time: number | undefined): void {
  const { alarm } = state
  if (alarm !== undefined && time !== undefined && alarm.due <= time && alarm.due > x.now) return
  if (alarm !== undefined) x.drop(alarm.ref)
  state.alarm = time === undefined ? undefined : { ref: x.wait('timer', 'alarm', { due: time }), due: time }
}
