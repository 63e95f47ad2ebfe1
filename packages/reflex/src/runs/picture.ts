import type { Frame, State } from '../kernel/index.ts'
import { definitionFinder, type PictureLine } from '../programs/kind-view.ts'
import type { ViewedPrograms } from '../programs/kinds.ts'

/** Returns the nodes of a frame's program with their states; empty if its kind draws none. */
export function pictureOf(frame: Frame, state: State, definitions: ViewedPrograms, now = state.time): readonly PictureLine[] {
  const { def, kind } = definitions.program(frame.pin)
  return definitions.view(kind).picture?.(def, frame, { now, definition: definitionFinder(state, definitions) }) ?? []
}
