import { canonicalJson, type JsonObject } from '../../../kernel/journal/json.ts'
import type { Outcome } from '../contract/outcome.ts'
import { type Held, heldBy } from './resuming.ts'
import { isPure, outputOf, skipKey } from '../contract/skip.ts'
import { outcomeKey, outcomeOf } from '../contract/tally.ts'
import type { Walk } from './walk.ts'

/**
 * The recorded outcome of a node that need not run again: it succeeded, nothing that it depends on has changed, and what it
 * wrote still stands. A node that asks something outside is passed over only after a resume, by the outcome that the
 * checkpoint has (reference pipeline 3.10).
 */
export function unchanged(walk: Walk): Outcome | undefined {
  const { tally, node } = walk
  const kept = tally.outcome(node.id)
  const hash = tally.hash(node.id)
  if (kept?.status !== 'success' || kept.recheck === true || hash === undefined) return undefined
  const held = heldBy(walk.x.frame)
  const isHeld = held !== undefined && kept.held === true
  if (!(isHeld || isPure(node)) || skipKey(walk.scene()) !== hash) return undefined
  const context_updates = isHeld ? heldUpdates(walk, held) : writtenUpdates(walk)
  return context_updates === undefined ? undefined : { ...outcomeOf(kept), context_updates }
}

/** The output of a pure node; nothing if another node has overwritten it. */
function writtenUpdates({ x, node }: Walk): JsonObject | undefined {
  const output = outputOf(node)
  const entry = x.frame.reader().entry(output)
  const written = x.frame.books().entry(outcomeKey(node.id))
  return entry?.value === undefined || entry.record !== written?.record ? undefined : { [output]: entry.value }
}

/** The updates that a checkpoint has of a node; nothing if one of the values is another one now. */
function heldUpdates({ x, node }: Walk, { outcomes }: Held): JsonObject | undefined {
  const updates = outcomes[node.id]?.context_updates ?? {}
  const isThere = Object.entries(updates).every(([key, value]) => canonicalJson(x.get(key) ?? null) === canonicalJson(value))
  return isThere ? updates : undefined
}
