import type { Outcomes } from '../manifest/manifest.ts'

/** A leaf that may answer in any way. */
export const ANY: Outcomes = { success: true, failure: true, running: true }
/** A leaf that answers at once. */
export const AT_ONCE: Outcomes = { success: true, failure: true, running: false }
export const ALWAYS_SUCCESS: Outcomes = { success: true, failure: false, running: false }
export const ALWAYS_FAILURE: Outcomes = { success: false, failure: true, running: false }

/** Outcomes of a node that succeeds if all of its children do, one after another. */
export function ofSequence(children: readonly Outcomes[]): Outcomes {
  const reached = reachable(children, ({ success }) => success)
  return {
    success: children.every(({ success }) => success),
    failure: reached.some(({ failure }) => failure),
    running: reached.some(({ running }) => running),
  }
}

/** Outcomes of a node that succeeds as soon as one of its children does, one after another. */
export function ofSelector(children: readonly Outcomes[]): Outcomes {
  return inverted(ofSequence(children.map(inverted)))
}

export function inverted({ success, failure, running }: Outcomes): Outcomes {
  return { success: failure, failure: success, running }
}

/** Outcomes of a decorator that answers as its only child does. */
export function ofChild([child = ANY]: readonly Outcomes[]): Outcomes {
  return child
}

/** Outcomes of a node whose first child chooses between the second and the third; without a third it fails. */
export function ofBranches([test = ANY, then = ANY, otherwise]: readonly Outcomes[]): Outcomes {
  return {
    success: then.success || (otherwise?.success ?? false),
    failure: then.failure || (otherwise === undefined ? test.failure : otherwise.failure),
    running: test.running || then.running || (otherwise?.running ?? false),
  }
}

/** The children up to the first one after which none is reached. */
function reachable(children: readonly Outcomes[], goesOn: (child: Outcomes) => boolean): readonly Outcomes[] {
  const end = children.findIndex((child) => !goesOn(child))
  return end < 0 ? children : children.slice(0, end + 1)
}
