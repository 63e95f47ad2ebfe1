import { type Frame, isActivation } from './frame.ts'
import { isObject, type Json } from '../journal/json.ts'
import { oldUsage } from '../journal/old-words.ts'
import type { Input } from '../journal/record.ts'
import {
  type Limit,
  type Limits,
  LIMITS,
  limitsAtMost,
  limitsOf,
  limitsReached,
  raisedElsewhere,
  type StatedUsage,
  type Usage,
  usageOfTokens,
  UsageSum,
} from '../journal/usage.ts'

/** The usage of a run and of its programs, and the limits of its operator. */
export interface UsageMeter {
  readonly run: Usage
  /** The current limits of the run. */
  readonly limits: Limits
  /** The limits of the run that are used up. */
  readonly reached: readonly Limit[]
  /**
   * Returns the usage of the program that a frame belongs to, with the programs that it called and their strands. Its time
   * counts from its start.
   */
  program(frame: Frame): Usage
}

/** The meter of a run: a part of its state, written by the fold. */
export class Meter implements UsageMeter {
  readonly total = new UsageSum()
  time = 0
  /** The usage that a fork shares with its source. */
  shared = new UsageSum()
  /** The limits at the start of the run. */
  original: Limits = {}
  limits: Limits = {}
  /** The last record of each import before which limits were raised: after it, no limit is above that of the start. */
  importEnds: ReadonlySet<number> | undefined

  get run(): Usage {
    return this.total.withTime(this.time)
  }

  /** The usage of a fork without that of its source. */
  get own(): Omit<Usage, 'time'> {
    const { tokens, cost, steps, calls, unpriced } = this.total
    const { shared } = this
    return {
      tokens: tokens - shared.tokens,
      cost: cost - shared.cost,
      steps: steps - shared.steps,
      calls: calls - shared.calls,
      unpriced: unpriced - shared.unpriced,
    }
  }

  /** Marks the start of a fork. */
  fork(): void {
    this.shared = new UsageSum()
    this.shared.add(this.total)
  }

  /** True if a limit is above that of the start. */
  get isRaised(): boolean {
    return LIMITS.some((limit) => (this.limits[limit] ?? 0) > (this.original[limit] ?? Number.POSITIVE_INFINITY))
  }

  /** Sets the limits of the start. */
  begin(by: Json | undefined): void {
    this.original = limitsOf(by)
    this.limits = this.original
    const ends = raisedElsewhere(by)
    if (ends.length > 0) this.importEnds = new Set(ends)
  }

  /** Lowers raised limits to those of the start: a person elsewhere raised them, or the records only claim it. */
  lower(): void {
    this.limits = limitsAtMost(this.original, this.limits)
  }

  get reached(): readonly Limit[] {
    return limitsReached(this.limits, this.run)
  }

  program(frame: Frame): Usage {
    return this.below(programFrame(frame))
  }

  /** Returns the usage of a frame, with what it called and its strands. */
  below(frame: Frame): Usage {
    const sum = new UsageSum()
    addBelow(sum, frame)
    return sum.withTime(this.time - frame.began)
  }

  /** Adds the usage of a frame. */
  add(frame: Frame, usage: StatedUsage): void {
    this.total.add(usage)
    ;(frame.usage ??= new UsageSum()).add(usage)
  }

  countStep(frame: Frame): void {
    this.total.steps++
    frame.steps++
  }

  /** Adds the sum of an ended frame, and of the frames above it, to its caller. */
  giveToCaller(frame: Frame): void {
    const caller = frame.link?.caller
    if (caller === undefined) return
    if (frame.callee === undefined && (frame.strands?.size ?? 0) === 0) {
      caller.steps += frame.steps
      if (frame.usage !== undefined) (caller.usage ??= new UsageSum()).add(frame.usage)
    } else addBelow((caller.usage ??= new UsageSum()), frame)
  }
}

/** Returns the usage that an input states. An attempt that a crash interrupted counts with its possible usage. */
export function usageOfInput(input: Input, isCurrentFormat: boolean): StatedUsage | undefined {
  switch (input[0]) {
    case 'ok':
    case 'err':
      return isCurrentFormat ? input[3] : oldUsage(input[2])
    case 'again':
      return isObject(input[2]) ? usageOfTokens(input[2], input[2].usd) : undefined
    default:
      return undefined
  }
}

/**
 * Returns the frame in which the program of a frame started: the frame itself, or the frame that spawned it as a strand of the
 * same program.
 */
export function programFrame(frame: Frame): Frame {
  let base = frame
  while (!isActivation(base) && base.link !== undefined) base = base.link.caller
  return base
}

/** True if a frame is another frame, or was called or spawned by it, directly or indirectly. */
export function isPartOf(frame: Frame, base: Frame): boolean {
  for (let at: Frame | undefined = frame; at !== undefined; at = at.link?.caller) if (at === base) return true
  return false
}

function addBelow(sum: UsageSum, frame: Frame): void {
  sum.steps += frame.steps
  if (frame.usage !== undefined) sum.add(frame.usage)
  if (frame.callee !== undefined) addBelow(sum, frame.callee)
  for (const strand of frame.strands?.values() ?? []) addBelow(sum, strand)
}
