import { isList } from '../../../kernel/index.ts'
import { keepState } from './frame-state.ts'
import type { TreeStep } from './tree-step.ts'
import type { TreeEvent } from './ticking.ts'
import type { TreeState } from './tree-state.ts'

/** Records the changes of the position, and the events as a note. */
export function save(x: TreeStep, state: TreeState, events: readonly TreeEvent[] = []): void {
  if (events.length > 0) x.note({ events: events.map(([type, payload]) => [type, { tree_id: x.def.id, ...payload }]) })
  const { position } = x
  if (!isList(position)) {
    x.go(state.position())
    return keepState(x, state)
  }
  const changes = state.changes(position)
  if (changes.length > 0) x.patchItems(...changes)
  keepState(x, state, changes.length > 0 ? position : undefined)
}

/** Leaves no record of a step on the clock that has changed nothing. */
export function skip(x: TreeStep, state: TreeState): void {
  x.skip()
  keepState(x, state)
}
