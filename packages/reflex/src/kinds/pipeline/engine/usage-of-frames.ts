import type { Frame, StrandResult } from '../../../kernel/state/frame.ts'
import { isObject, type Json } from '../../../kernel/journal/json.ts'
import type { Scope } from '../../../kernel/state/scope.ts'
import { addUsage, NO_USAGE, SPENT, type PipelineUsage } from '../contract/engine-board.ts'
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
export interface MeterFrame {
  readonly frame: Frame
  readonly own: PipelineUsage
  readonly isGathered: boolean
  /** Whether a frame, or a strand that has ended, is a pipeline's: of others nothing is taken for what this engine keeps. */
  readonly isPipelineFrame: (one: Pick<StrandResult, 'pin'>) => boolean
}

/**
 * What a frame has used up and all that works on behalf of it: the program that it has called, and its branches until the
 * node is over that began them. Each frame keeps what those used that are gone, so that a tree is counted without its
 * past.
 */
export function usageBelow(frame: Frame, here: MeterFrame): PipelineUsage {
  const isHere = frame === here.frame
  let all = isHere ? withSteps(frame, here.own) : here.isPipelineFrame(frame) ? withSteps(frame, ownUsage(frame.scope)) : NO_USAGE
  if (!isHere || !here.isGathered) all = addUsage(all, usageOfEnded(frame, here.isPipelineFrame))
  if (frame.callee !== undefined) all = addUsage(all, usageBelow(frame.callee, here))
  for (const strand of frame.strands?.values() ?? []) all = addUsage(all, usageBelow(strand, here))
  return all
}

interface EndedUsage {
  readonly first: StrandResult | undefined
  readonly count: number
  readonly results: WeakSet<StrandResult>
  readonly spent: PipelineUsage
}

/** What ended branches of a frame used: it does not change any more, and a block may have thousands of them. */
const ended = new WeakMap<Frame, EndedUsage>()

/** What the branches of a frame used that have ended and are not forgotten yet. */
export function usageOfEnded(frame: Frame, isKindred: MeterFrame['isPipelineFrame']): PipelineUsage {
  const { strandResults, strands } = frame
  const count = (strandResults?.size ?? 0) - (strands?.size ?? 0)
  if (strandResults === undefined || count <= 0) return NO_USAGE
  const [first] = strandResults.values()
  const before = ended.get(frame)
  const isSame = before !== undefined && before.first === first
  if (isSame && before.count === count) return before.spent
  const seen = isSame ? before.results : new WeakSet<StrandResult>()
  let spent = isSame ? before.spent : NO_USAGE
  for (const result of strandResults.values()) {
    if (result.status === 'running' || seen.has(result) || !isKindred(result)) continue
    seen.add(result)
    spent = addUsage(spent, usageOfStrand(result))
  }
  ended.set(frame, { first, count, results: seen, spent })
  return spent
}

/** What a branch that has ended used, with those of its own. */
function usageOfStrand({ scope, value }: StrandResult): PipelineUsage {
  const steps = isObject(value) && typeof value['steps'] === 'number' ? value['steps'] : 0
  return addUsage(ownUsage(scope), { ...NO_USAGE, steps })
}

/** What a frame has kept of what was used, on its own scope alone. */
export function ownUsage(scope: Scope): PipelineUsage {
  const place = scope.find(SPENT, Number.POSITIVE_INFINITY)
  return readUsage(place < 0 ? undefined : scope.valueAt(place))
}

/** An amount as it is kept or as a program returned it; what is none of it counts as nothing, and nothing counts below it. */
export function readUsage(value: Json | undefined): PipelineUsage {
  if (!isObject(value)) return NO_USAGE
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

function withSteps(frame: Frame, spent: PipelineUsage): PipelineUsage {
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
