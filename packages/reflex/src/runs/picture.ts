import type { Frame, State } from '../kernel/index.ts'
import type { PictureLine } from '../programs/kind-view.ts'
import type { ViewedPrograms } from '../programs/kinds.ts'

/** Returns the nodes of a frame's program with their states; empty if its kind draws none. */
export function pictureOf(frame: Frame, { pins, time }: State, definitions: ViewedPrograms, now = time): readonly PictureLine[] {
  const { def, kind } = definitions.program(frame.pin)
  const definition = (name: string): unknown => {
    const pin = pins.findLastIndex(([pinned]) => pinned === name)
    return pin < 0 ? undefined : definitions.program(pin).def
  }
  return definitions.view(kind).picture?.(def, frame, { now, definition }) ?? []
}
