import type { BoardReader } from '../../../kernel/index.ts'
import type { TypedGraph } from '../model/typed.ts'
import type { Stage } from './handler.ts'
import { storedOutcomeIn, outcomeKey, outcomeOf } from './engine-board.ts'

/** Returns the stages of a round in the order in which they ended. A branch sees the stages before its block. */
export function stagesOf(typed: TypedGraph, reader: BoardReader, round: number): readonly Stage[] {
  const entries = [...typed.nodes.values()].flatMap(({ id, canonical }) => {
    const entry = canonical === 'start' || canonical === 'branch' ? undefined : reader.entry(outcomeKey(id))
    const kept = storedOutcomeIn(entry?.value, round)
    return entry === undefined || kept === undefined || kept.branch !== undefined ? [] : [{ id, record: entry.record, kept }]
  })
  // The outcomes of a checkpoint are all in one record.
  return entries.sort((a, b) => a.record - b.record || a.kept.n - b.kept.n).map(({ id, kept }) => ({ id, outcome: outcomeOf(kept) }))
}
