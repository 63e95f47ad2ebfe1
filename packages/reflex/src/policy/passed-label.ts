import { type Frame, isObject } from '../kernel/index.ts'
import { combine, type Label, unpackLabel } from './label.ts'

/**
 * The key on the board of a frame whose kind keeps labels: the label of the inputs that the frame has passed to a program of a kind that
 * keeps none, as `{ label }`.
 */
export const PASSED = '#passed'

/**
 * Returns the label of the inputs that outer programs passed to programs of other kinds: these store no labels and may
 * pass on everything that they received.
 */
export function labelPassedBy(caller: Frame | undefined): Label {
  const passed: Label[] = []
  for (let frame: Frame | undefined = caller; frame !== undefined; frame = frame.link?.caller) {
    const kept = frame.kindReader().get(PASSED)
    if (isObject(kept)) passed.push(unpackLabel(kept['label']))
  }
  return combine(...passed)
}
