import { canonicalJson, type JsonObject } from '../../../kernel/index.ts'
import type { Outcome } from '../contract/outcome.ts'
import { type StoredRun, storedRunOf } from './resuming.ts'
import { isPure, outputOf, skipKey } from '../contract/skip.ts'
import { outcomeKey, outcomeOf } from '../contract/engine-board.ts'
import type { FrameStep } from './frame-step.ts'

/**
 * Returns the recorded outcome of a node that need not run again: it succeeded, nothing that it depends on has changed,
 * and its writes are still there. A node with outside effects is only skipped after a resume, with the outcome in the
 * checkpoint (reference pipeline 3.10).
 */
export function unchangedOutcome(step: FrameStep): Outcome | undefined {
  const { engineBoard, node } = step
  const kept = engineBoard.outcome(node.id)
  const hash = engineBoard.hash(node.id)
  if (kept?.status !== 'success' || kept.recheck === true || hash === undefined) return undefined
  const held = storedRunOf(step.x.frame)
  const isHeld = held !== undefined && kept.restored === true
  if (!(isHeld || isPure(node)) || skipKey(step.nodeContext()) !== hash) return undefined
  const context_updates = isHeld ? heldUpdates(step, held) : writtenUpdates(step)
  return context_updates === undefined ? undefined : { ...outcomeOf(kept), context_updates }
}

/** Returns the output of a pure node; undefined if another node has overwritten it. */
function writtenUpdates({ x, node }: FrameStep): JsonObject | undefined {
  const output = outputOf(node)
  const entry = x.frame.reader().entry(output)
  const written = x.frame.kindReader().entry(outcomeKey(node.id))
  return entry?.value === undefined || entry.record !== written?.record ? undefined : { [output]: entry.value }
}

/** Returns the updates of a node in a checkpoint; undefined if one of the values has changed. */
function heldUpdates({ x, node }: FrameStep, { outcomes }: StoredRun): JsonObject | undefined {
  const updates = outcomes[node.id]?.context_updates ?? {}
  const isThere = Object.entries(updates).every(([key, value]) => canonicalJson(x.get(key) ?? null) === canonicalJson(value))
  return isThere ? updates : undefined
}
