import { type Frame, isActivation } from './frame.ts'
import { isObject } from '../journal/json.ts'
import { oldUsage } from '../journal/old-words.ts'
import type { Input } from '../journal/record.ts'
import { type Limit, type Limits, limitsReached, type StatedUsage, type Usage, usageOfTokens, UsageSum } from '../journal/usage.ts'

/** The usage of a run and of each program in it, and the limits that its operator set. */
export interface UsageMeter {
  readonly run: Usage
  /** The limits of the run, as they are now. */
  readonly limits: Limits
  /** The limits of the run that are used up. */
  readonly reached: readonly Limit[]
  /** Returns the usage of the program that a frame is part of, with the programs that it called, and their strands. Its time is that since it began. */
  program(frame: Frame): Usage
}

/** The meter of a run: a part of its state, which the fold writes. */
export class Meter implements UsageMeter {
  readonly total = new UsageSum()
  time = 0
  /** The usage that a fork shares with its source. */
  shared = new UsageSum()
  /** The limits that the run was started with. */
  original: Limits = {}
  limits: Limits = {}

  get run(): Usage {
    return this.total.withTime(this.time)
  }

  /** The usage of the run without that of the run that it was forked from. */
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

  /** The run is a fork from here on. */
  fork(): void {
    this.shared = new UsageSum()
    this.shared.add(this.total)
  }

  get reached(): readonly Limit[] {
    return limitsReached(this.limits, this.run)
  }

  program(frame: Frame): Usage {
    const base = programFrame(frame)
    const sum = new UsageSum()
    addBelow(sum, base)
    return sum.withTime(this.time - base.began)
  }

  /** Adds usage of a frame. */
  add(frame: Frame, usage: StatedUsage): void {
    this.total.add(usage)
    ;(frame.usage ??= new UsageSum()).add(usage)
  }

  countStep(frame: Frame): void {
    this.total.steps++
    frame.steps++
  }

  /** A frame ends, with everything above it: its sum is its caller's from now on. */
  giveToCaller(frame: Frame): void {
    const caller = frame.link?.caller
    if (caller === undefined) return
    if (frame.callee === undefined && (frame.strands?.size ?? 0) === 0) {
      caller.steps += frame.steps
      if (frame.usage !== undefined) (caller.usage ??= new UsageSum()).add(frame.usage)
    } else addBelow((caller.usage ??= new UsageSum()), frame)
  }
}

/** Returns the usage that an input states. A try that a crash has interrupted counts as what it may have used. */
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

/** The frame in which the program of a frame began: the frame itself, or the one that spawned it as a strand of the same program. */
export function programFrame(frame: Frame): Frame {
  let base = frame
  while (!isActivation(base) && base.link !== undefined) base = base.link.caller
  return base
}

/** True if a frame is another one, or was called or spawned by it, directly or not. */
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
