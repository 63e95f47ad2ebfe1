import { canonicalJson, type JsonObject } from '../../../kernel/journal/json.ts'
import type { Outcome } from '../contract/outcome.ts'
import { type StoredRun, storedRunOf } from './resuming.ts'
import { isPure, outputOf, skipKey } from '../contract/skip.ts'
import { outcomeKey, outcomeOf } from '../contract/engine-board.ts'
import type { FrameStep } from './frame-step.ts'

/**
 * The recorded outcome of a node that need not run again: it succeeded, nothing that it depends on has changed, and what it
 * wrote still stands. A node that asks something outside is passed over only after a resume, by the outcome that the
 * checkpoint has (reference pipeline 3.10).
 */
export function unchangedOutcome(step: FrameStep): Outcome | undefined {
  const { engineBoard, node } = step
  const kept = engineBoard.outcome(node.id)
  const hash = engineBoard.hash(node.id)
  if (kept?.status !== 'success' || kept.recheck === true || hash === undefined) return undefined
  const held = storedRunOf(step.x.frame)
  const isHeld = held !== undefined && kept.held === true
  if (!(isHeld || isPure(node)) || skipKey(step.nodeContext()) !== hash) return undefined
  const context_updates = isHeld ? heldUpdates(step, held) : writtenUpdates(step)
  return context_updates === undefined ? undefined : { ...outcomeOf(kept), context_updates }
}

/** The output of a pure node; nothing if another node has overwritten it. */
function writtenUpdates({ x, node }: FrameStep): JsonObject | undefined {
  const output = outputOf(node)
  const entry = x.frame.reader().entry(output)
  const written = x.frame.kindReader().entry(outcomeKey(node.id))
  return entry?.value === undefined || entry.record !== written?.record ? undefined : { [output]: entry.value }
}

/** The updates that a checkpoint has of a node; nothing if one of the values is another one now. */
function heldUpdates({ x, node }: FrameStep, { outcomes }: StoredRun): JsonObject | undefined {
  const updates = outcomes[node.id]?.context_updates ?? {}
  const isThere = Object.entries(updates).every(([key, value]) => canonicalJson(x.get(key) ?? null) === canonicalJson(value))
  return isThere ? updates : undefined
}
