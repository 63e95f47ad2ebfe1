import type { StepContext } from '../../../kernel/step/context.ts'
import type { Frame } from '../../../kernel/state/frame.ts'
import { isObject } from '../../../kernel/journal/json.ts'
import { LIMITS, type UsageLimits, describeLimit, shareUsed, type Usage } from '../../../policy/index.ts'
import type { TypedGraph } from '../model/typed.ts'
import { programBounds } from '../contract/program-bounds.ts'
import type { Permissions } from '../contract/handler.ts'
import { type MeterFrame, ownUsage, pipelineFrame, rootFrame, usageBelow, usageOfEnded } from './usage-of-frames.ts'
import { addUsage, storeUsage, maxUsage, NO_USAGE, type PipelineUsage, EngineBoard } from '../contract/engine-board.ts'

/** The share of a bound from which on it is low. */
const LOW = 0.8

/** What programs of other kinds use that takes no time of its own. */
const COUNTED = ['tokens', 'cost', 'steps'] as const

/** By how much some amounts are greater than others; undefined where none is. */
function excess<Name extends string>(
  names: readonly Name[],
  all: Readonly<Partial<Record<Name, number>>>,
  known: Readonly<Partial<Record<string, number>>>,
): Readonly<Record<string, number>> | undefined {
  const found = names.flatMap((name) => {
    const left = (all[name] ?? 0) - (known[name] ?? 0)
    return left > 0 ? [[name, left] as const] : []
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** What a step knows and says of what was used up: by its frame, by its pipeline, by the whole run. */
export class UsageMeter {
  readonly #x: StepContext<TypedGraph>
  readonly #permissions: () => Permissions
  #usage: PipelineUsage | undefined
  #isGathered = false

  constructor(x: StepContext<TypedGraph>, charter: () => Permissions) {
    this.#x = x
    this.#permissions = charter
  }

  /** What this frame keeps: its own, and that of what it called and spawned and that has ended. */
  get ownUsage(): PipelineUsage {
    this.#usage ??= ownUsage(this.#x.frame.scope)
    return this.#usage
  }

  /** Keeps what the branches used that have ended, before this step forgets them. */
  gather(): void {
    if (this.#isGathered) return
    this.#isGathered = true
    this.add(usageOfEnded(this.#x.frame, this.#isPipelineFrame))
  }

  /** The same with the nodes that it has executed: what it hands to whoever called it. */
  get total(): PipelineUsage {
    const { position } = this.#x
    const steps = isObject(position) && typeof position['steps'] === 'number' ? position['steps'] : 0
    return addUsage(this.ownUsage, { tokens: 0, cost: 0, calls: 0, steps })
  }

  /** Adds to what this frame keeps; nothing is nothing to write. */
  add(usage: PipelineUsage): void {
    if (usage.tokens + usage.cost + usage.calls === 0 && Object.keys(usage).length === 3) return
    this.#usage = addUsage(this.ownUsage, usage)
    storeUsage(this.#x, this.#usage)
  }

  /**
   * What the run has used: every pipeline in it, their branches, what they call. What a program of another kind used stands on no
   * board: of one that calls, it is in the charter, as what was used before; of one that was called, it is learned on its return.
   */
  get runUsage(): PipelineUsage {
    let spent = usageBelow(rootFrame(this.#x.frame), this.#meterFrame)
    for (const { frame, before } of this.#foreignFrames()) spent = maxUsage(spent, addUsage(before, usageBelow(frame, this.#meterFrame)))
    return spent
  }

  get runTotals(): Usage {
    const { tokens, cost, steps = 0, others = {} } = this.runUsage
    const outermost = this.#outermost()
    return {
      tokens: tokens + (others['tokens'] ?? 0),
      cost: cost + (others['cost'] ?? 0),
      steps: steps + (others['steps'] ?? 0),
      time: this.#timeOf(outermost) + (outermost.before?.time ?? 0),
    }
  }

  /** Adds what is not accounted for here of what the run has used in all, and of what was added to its bounds. */
  addOutside({ raised = {}, ...used }: NonNullable<Permissions['before']>): void {
    const known = this.runTotals
    const given = this.runUsage.raised ?? {}
    // The nodes that stand here are counted once they are over.
    const begun = { ...used, steps: used.steps - this.#framesOnStack }
    const others = excess(COUNTED, begun, known)
    const added = excess(LIMITS, raised, given)
    this.add({ ...NO_USAGE, ...(others === undefined ? {} : { others }), ...(added === undefined ? {} : { raised: added }) })
  }

  /** How many pipelines and branches of this stack stand at a node. */
  get #framesOnStack(): number {
    let count = 0
    for (let at: Frame | undefined = this.#x.frame; at !== undefined; at = at.link?.caller) if (this.#isPipelineFrame(at)) count++
    return count
  }

  /** The pipelines on the stack that a program of another kind has called, with what the run had used up by then. */
  *#foreignFrames(): Generator<{ readonly frame: Frame; readonly before: PipelineUsage }> {
    for (let at: Frame | undefined = this.#x.frame; at !== undefined; at = at.link?.caller) {
      if (at.link?.isSameKind !== false || !this.#isPipelineFrame(at)) continue
      const { before } = at === this.#x.frame ? this.#permissions() : (EngineBoard.of(at.kindReader()).permissions ?? {})
      if (before !== undefined) yield { frame: at, before: { ...before, calls: 0 } }
    }
  }

  /** What the pipeline has used to which the frame belongs. */
  get pipelineTotals(): Usage {
    const { tokens, cost, steps = 0 } = usageBelow(pipelineFrame(this.#x.frame), this.#meterFrame)
    return { tokens, cost, steps, time: this.#timeOf(this.#permissions()) }
  }

  /** What the operator allows the run, with what was added to it since; nothing where he bounds nothing. */
  get operatorBounds(): UsageLimits | undefined {
    const { limits } = this.#permissions()
    if (LIMITS.every((bound) => limits[bound] === undefined)) return undefined
    const { raised = {} } = this.runUsage
    const bounded = LIMITS.filter((bound) => limits[bound] !== undefined || raised[bound] !== undefined)
    return Object.fromEntries(bounded.map((bound) => [bound, (limits[bound] ?? 0) + (raised[bound] ?? 0)]))
  }

  /** How much is left, as conditions read it (reference pipeline 5.5). */
  get status(): 'normal' | 'low' | 'over' {
    const own = programBounds(this.#x.def)
    const given = this.operatorBounds
    const share = Math.max(
      own === undefined ? 0 : shareUsed(own, this.pipelineTotals),
      given === undefined ? 0 : shareUsed(given, this.runTotals),
    )
    return share >= 1 ? 'over' : share >= LOW ? 'low' : 'normal'
  }

  /** The bounds of which at least the share is used from which on a budget is low, in words; empty where none is. */
  get nearLimits(): readonly string[] {
    const pairs = [
      [programBounds(this.#x.def), () => this.pipelineTotals],
      [this.operatorBounds, () => this.runTotals],
    ] as const
    return pairs.flatMap(([bounds, usedBy]) => {
      if (bounds === undefined) return []
      const used = usedBy()
      return LIMITS.filter((bound) => used[bound] >= LOW * (bounds[bound] ?? Number.POSITIVE_INFINITY)).map((bound) =>
        describeLimit(bound, bounds, used),
      )
    })
  }

  get #meterFrame(): MeterFrame {
    return { frame: this.#x.frame, own: this.ownUsage, isGathered: this.#isGathered, isPipelineFrame: this.#isPipelineFrame }
  }

  readonly #isPipelineFrame: MeterFrame['isPipelineFrame'] = (one) => this.#x.isSameKind(one)

  /** Milliseconds since a pipeline began, without those for which the run was set aside since. */
  #timeOf({ began, aside = 0 }: Pick<Permissions, 'began' | 'aside'>): number {
    const { now, excludedMs: all } = this.#x
    return began === undefined ? 0 : now - began - (all - aside)
  }

  /** The charter of the outermost pipeline of the run. */
  #outermost(): Pick<Permissions, 'began' | 'aside' | 'before'> {
    let found: Pick<Permissions, 'began' | 'aside' | 'before'> = this.#permissions()
    for (let { link } = this.#x.frame; link !== undefined; link = link.caller.link)
      if (this.#isPipelineFrame(link.caller)) found = EngineBoard.of(link.caller.kindReader()).permissions ?? found
    return found
  }
}
