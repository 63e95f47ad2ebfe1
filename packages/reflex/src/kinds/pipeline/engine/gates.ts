import type { StepContext } from '../../../kernel/step/context.ts'
import type { Frame } from '../../../kernel/state/frame.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import { isGate } from '../model/jumps.ts'
import { isGood } from '../contract/outcome.ts'
import type { Position } from '../contract/position.ts'
import { type Kept, keepOutcome, keptIn, outcomeKey, type Tally } from '../contract/tally.ts'

/** A walk, as far as goal gates go. */
interface Walk {
  readonly x: Pick<StepContext, 'get' | 'set' | 'frame'>
  readonly typed: TypedGraph
  readonly tally: Tally
  readonly lap: number
  readonly position: Position
}

/** The last completion of a gate in one of the branches, with the number of its record. */
interface Met {
  readonly record: number
  readonly kept: Kept
}

/**
 * Keeps the outcomes of goal gates that branches of this frame completed: they count for the whole run, although branches
 * keep everything else to themselves (reference pipeline 3.7, 3.9.2). Call it before the branches are dropped.
 */
export function keepBranchGates(walk: Walk): void {
  const { x, typed, lap, position } = walk
  const found = gatesOf(typed).flatMap(({ id }) => {
    const met = metIn(x.frame, outcomeKey(id), lap)
    return met === undefined ? [] : [{ id, ...met }]
  })
  found.sort((a, b) => a.record - b.record)
  for (const [place, { id, kept }] of found.entries()) {
    const v = Math.max(kept.v, walk.tally.outcome(id)?.v ?? 0)
    keepOutcome(x, lap, id, { ...kept, v, n: position.steps + 1, branch: place })
  }
}

/** Gates that are not satisfied, in the order in which they were completed. */
export function openGates({ typed, tally }: Walk): readonly TypedNode[] {
  const place = ({ id }: TypedNode): readonly [n: number, place: number] => {
    const { n = 0, branch } = tally.outcome(id) ?? {}
    return [n, branch ?? Number.POSITIVE_INFINITY]
  }
  return gatesOf(typed)
    .filter(({ id }) => !tally.satisfied(id))
    .map((gate) => ({ gate, at: place(gate) }))
    .sort(({ at: [a, aPlace] }, { at: [b, bPlace] }) => a - b || (aPlace < bPlace ? -1 : aPlace > bPlace ? 1 : 0))
    .map(({ gate }) => gate)
}

function gatesOf({ nodes }: TypedGraph): readonly TypedNode[] {
  return [...nodes.values()].filter(isGate)
}

/** How a gate ended in the branches: as in the one that failed last, else as in the last one. */
function metIn({ kids }: Frame, key: string, lap: number): Met | undefined {
  let found: Met | undefined
  for (const { scope } of kids?.values() ?? []) {
    const place = scope.find(key, Number.POSITIVE_INFINITY)
    const entry = place < 0 ? undefined : scope.entryAt(place)
    const kept = keptIn(entry?.value, lap)
    if (entry === undefined || kept === undefined) continue
    const met: Met = { record: entry.record, kept }
    if (found === undefined || isWorse(met, found)) found = met
  }
  return found
}

function isWorse(met: Met, than: Met): boolean {
  const [good, thanGood] = [isGood(met.kept.status), isGood(than.kept.status)]
  return good === thanGood ? met.record > than.record : !good
}
