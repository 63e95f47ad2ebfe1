import type { StepContext, Frame } from '../../../kernel/index.ts'
import type { TypedGraph, TypedNode } from '../model/typed.ts'
import { isGate } from '../model/jumps.ts'
import { isGood } from '../contract/outcome.ts'
import type { Position } from '../contract/position.ts'
import { type StoredOutcome, storeOutcome, storedOutcomeIn, outcomeKey, type EngineBoard } from '../contract/engine-board.ts'

/** The parts of a step that goal gates need. */
interface GateStep {
  readonly x: Pick<StepContext, 'get' | 'set' | 'frame'>
  readonly typed: TypedGraph
  readonly engineBoard: EngineBoard
  readonly round: number
  readonly position: Position
}

/** The last completion of a gate in one of the branches, with the number of its record. */
interface GateOutcome {
  readonly record: number
  readonly kept: StoredOutcome
}

/**
 * Stores the outcomes of goal gates that branches of this frame completed: they count for the whole run, although all
 * other keys of a branch stay in it (reference pipeline 3.7, 3.9.2). Must be called before the branches are dropped.
 */
export function storeBranchGates(step: GateStep): void {
  const { x, typed, round, position } = step
  if (x.frame.strandResults === undefined) return
  const found = gatesOf(typed).flatMap(({ id }) => {
    const met = gateOutcomeIn(x.frame, outcomeKey(id), round)
    return met === undefined ? [] : [{ id, ...met }]
  })
  found.sort((a, b) => a.record - b.record)
  for (const [place, { id, kept }] of found.entries()) {
    const v = Math.max(kept.v, step.engineBoard.outcome(id)?.v ?? 0)
    storeOutcome(x, round, id, { ...kept, v, n: position.steps + 1, branch: place })
  }
}

/** Returns the goal gates that are not satisfied, in the order in which they were completed. */
export function openGates({ typed, engineBoard }: GateStep): readonly TypedNode[] {
  const place = ({ id }: TypedNode): readonly [n: number, place: number] => {
    const { n = 0, branch } = engineBoard.outcome(id) ?? {}
    return [n, branch ?? Number.POSITIVE_INFINITY]
  }
  return gatesOf(typed)
    .filter(({ id }) => !engineBoard.isSatisfied(id))
    .map((gate) => ({ gate, at: place(gate) }))
    .sort(({ at: [a, aPlace] }, { at: [b, bPlace] }) => a - b || (aPlace < bPlace ? -1 : aPlace > bPlace ? 1 : 0))
    .map(({ gate }) => gate)
}

const gates = new WeakMap<TypedGraph, readonly TypedNode[]>()

function gatesOf(typed: TypedGraph): readonly TypedNode[] {
  let found = gates.get(typed)
  if (found === undefined) {
    found = [...typed.nodes.values()].filter(isGate)
    gates.set(typed, found)
  }
  return found
}

/** Returns the outcome of a gate in the branches: of the branch in which it failed last, else of the last branch. */
function gateOutcomeIn({ strandResults }: Frame, key: string, round: number): GateOutcome | undefined {
  let found: GateOutcome | undefined
  for (const { scope } of strandResults?.values() ?? []) {
    const place = scope.find(key, Number.POSITIVE_INFINITY)
    const entry = place < 0 ? undefined : scope.entryAt(place)
    const kept = storedOutcomeIn(entry?.value, round)
    if (entry === undefined || kept === undefined) continue
    const met: GateOutcome = { record: entry.record, kept }
    if (found === undefined || isWorse(met, found)) found = met
  }
  return found
}

function isWorse(met: GateOutcome, than: GateOutcome): boolean {
  const [good, thanGood] = [isGood(met.kept.status), isGood(than.kept.status)]
  return good === thanGood ? met.record > than.record : !good
}
