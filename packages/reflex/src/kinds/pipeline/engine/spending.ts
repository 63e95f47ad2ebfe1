import type { Frame, Kid } from '../../../kernel/state/frame.ts'
import { isObject, type Json } from '../../../kernel/journal/json.ts'
import type { Scope } from '../../../kernel/state/scope.ts'
import { addSpent, NOTHING_SPENT, SPENT, type Spent } from '../contract/tally.ts'
import { branchOf } from '../contract/branch.ts'

/** The frame of the pipeline that a branch belongs to; the frame itself where it is none. */
export function pipelineFrame(frame: Frame): Frame {
  let found = frame
  while (branchOf(found) !== undefined && found.link !== undefined) found = found.link.caller
  return found
}

/** The outermost frame of a run, of whatever kind. */
export function rootFrame(frame: Frame): Frame {
  let found = frame
  while (found.link !== undefined) found = found.link.caller
  return found
}

/** The frame of a step: what it has kept so far, and whether that has what its ended branches used. */
export interface Here {
  readonly frame: Frame
  readonly own: Spent
  readonly gathered: boolean
  /** Whether a frame, or a strand that has ended, is a pipeline's: of others nothing is taken for what this engine keeps. */
  readonly isKindred: (one: Pick<Kid, 'pin'>) => boolean
}

/**
 * What a frame has used up and all that works on behalf of it: the program that it has called, and its branches until the
 * node is over that began them. Each frame keeps what those used that are gone, so that a tree is counted without its
 * past.
 */
export function spentBelow(frame: Frame, here: Here): Spent {
  const isHere = frame === here.frame
  let all = isHere ? withSteps(frame, here.own) : here.isKindred(frame) ? withSteps(frame, ownSpent(frame.scope)) : NOTHING_SPENT
  if (!isHere || !here.gathered) all = addSpent(all, spentByEnded(frame, here.isKindred))
  if (frame.callee !== undefined) all = addSpent(all, spentBelow(frame.callee, here))
  for (const strand of frame.strands?.values() ?? []) all = addSpent(all, spentBelow(strand, here))
  return all
}

interface Ended {
  readonly first: Kid | undefined
  readonly count: number
  readonly kids: WeakSet<Kid>
  readonly spent: Spent
}

/** What ended branches of a frame used: it does not change any more, and a block may have thousands of them. */
const ended = new WeakMap<Frame, Ended>()

/** What the branches of a frame used that have ended and are not forgotten yet. */
export function spentByEnded(frame: Frame, isKindred: Here['isKindred']): Spent {
  const { kids, strands } = frame
  const count = (kids?.size ?? 0) - (strands?.size ?? 0)
  if (kids === undefined || count <= 0) return NOTHING_SPENT
  const [first] = kids.values()
  const before = ended.get(frame)
  const isSame = before !== undefined && before.first === first
  if (isSame && before.count === count) return before.spent
  const seen = isSame ? before.kids : new WeakSet<Kid>()
  let spent = isSame ? before.spent : NOTHING_SPENT
  for (const kid of kids.values()) {
    if (kid.status === 'running' || seen.has(kid) || !isKindred(kid)) continue
    seen.add(kid)
    spent = addSpent(spent, spentByKid(kid))
  }
  ended.set(frame, { first, count, kids: seen, spent })
  return spent
}

/** What a branch that has ended used, with those of its own. */
function spentByKid({ scope, value }: Kid): Spent {
  const steps = isObject(value) && typeof value['steps'] === 'number' ? value['steps'] : 0
  return addSpent(ownSpent(scope), { ...NOTHING_SPENT, steps })
}

/** What a frame has kept of what was used, on its own scope alone. */
export function ownSpent(scope: Scope): Spent {
  const place = scope.find(SPENT, Number.POSITIVE_INFINITY)
  return readSpent(place < 0 ? undefined : scope.valueAt(place))
}

/** An amount as it is kept or as a program returned it; what is none of it counts as nothing, and nothing counts below it. */
export function readSpent(value: Json | undefined): Spent {
  if (!isObject(value)) return NOTHING_SPENT
  const { others, raised, uses, stopped } = value
  return {
    tokens: amount(value['tokens']),
    cost: amount(value['cost']),
    calls: amount(value['calls']),
    ...(value['steps'] === undefined ? {} : { steps: amount(value['steps']) }),
    ...(isObject(others) ? { others: amounts(others) } : {}),
    ...(isObject(raised) ? { raised: amounts(raised) } : {}),
    ...(isObject(uses) ? { uses: amounts(uses) } : {}),
    ...(stopped === true ? { stopped: true as const } : {}),
  }
}

function withSteps(frame: Frame, spent: Spent): Spent {
  const { position } = frame
  const steps = isObject(position) ? amount(position['steps']) : 0
  return steps === 0 ? spent : { ...spent, steps: (spent.steps ?? 0) + steps }
}

function amounts(values: Readonly<Record<string, Json>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, amount(value)]))
}

/** An amount that somebody states, so that sums of it stay finite: a file or a tool may state any number. */
export function amount(value: Json | undefined): number {
  return typeof value === 'number' && value > 0 ? Math.min(value, Number.MAX_SAFE_INTEGER) : 0
}
