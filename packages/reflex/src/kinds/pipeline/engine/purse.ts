import type { StepContext } from '../../../kernel/step/context.ts'
import type { Frame } from '../../../kernel/state/frame.ts'
import { isObject } from '../../../kernel/journal/json.ts'
import { BOUNDS, type Bounds, describeBound, shareUsed, type Used } from '../../../policy/index.ts'
import type { TypedGraph } from '../model/typed.ts'
import { ownBounds } from '../contract/own-bounds.ts'
import type { Charter } from '../contract/handler.ts'
import { type Here, ownSpent, pipelineFrame, rootFrame, spentBelow, spentByEnded } from './spending.ts'
import { addSpent, keepSpent, mostSpent, NOTHING_SPENT, type Spent, Tally } from '../contract/tally.ts'

/** The share of a bound from which on it is low. */
const LOW = 0.8

/** What programs of other kinds use that takes no time of its own. */
const COUNTED = ['tokens', 'cost', 'steps'] as const

/** By how much some amounts are greater than others; undefined where none is. */
function more<Name extends string>(
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
export class Purse {
  readonly #x: StepContext<TypedGraph>
  readonly #charter: () => Charter
  #own: Spent | undefined
  #gathered = false

  constructor(x: StepContext<TypedGraph>, charter: () => Charter) {
    this.#x = x
    this.#charter = charter
  }

  /** What this frame keeps: its own, and that of what it called and spawned and that has ended. */
  get own(): Spent {
    this.#own ??= ownSpent(this.#x.frame.scope)
    return this.#own
  }

  /** Keeps what the branches used that have ended, before this step forgets them. */
  gather(): void {
    if (this.#gathered) return
    this.#gathered = true
    this.spend(spentByEnded(this.#x.frame, this.#isKindred))
  }

  /** The same with the nodes that it has executed: what it hands to whoever called it. */
  get total(): Spent {
    const { position } = this.#x
    const steps = isObject(position) && typeof position['steps'] === 'number' ? position['steps'] : 0
    return addSpent(this.own, { tokens: 0, cost: 0, calls: 0, steps })
  }

  /** Adds to what this frame keeps; nothing is nothing to write. */
  spend(more: Spent): void {
    if (more.tokens + more.cost + more.calls === 0 && Object.keys(more).length === 3) return
    this.#own = addSpent(this.own, more)
    keepSpent(this.#x, this.#own)
  }

  /**
   * What the run has used: every pipeline in it, their branches, what they call. What a program of another kind used stands on no
   * board: of one that calls, it is in the charter, as what was used before; of one that was called, it is learned on its return.
   */
  get spentByRun(): Spent {
    let spent = spentBelow(rootFrame(this.#x.frame), this.#here)
    for (const { frame, before } of this.#guests()) spent = mostSpent(spent, addSpent(before, spentBelow(frame, this.#here)))
    return spent
  }

  get usedByRun(): Used {
    const { tokens, cost, steps = 0, others = {} } = this.spentByRun
    const outermost = this.#outermost()
    return {
      tokens: tokens + (others['tokens'] ?? 0),
      cost: cost + (others['cost'] ?? 0),
      steps: steps + (others['steps'] ?? 0),
      time: this.#timeOf(outermost) + (outermost.before?.time ?? 0),
    }
  }

  /** Adds what is not accounted for here of what the run has used in all, and of what was added to its bounds. */
  learn({ raised = {}, ...used }: NonNullable<Charter['before']>): void {
    const known = this.usedByRun
    const given = this.spentByRun.raised ?? {}
    // The nodes that stand here are counted once they are over.
    const begun = { ...used, steps: used.steps - this.#standing }
    const others = more(COUNTED, begun, known)
    const added = more(BOUNDS, raised, given)
    this.spend({ ...NOTHING_SPENT, ...(others === undefined ? {} : { others }), ...(added === undefined ? {} : { raised: added }) })
  }

  /** How many pipelines and branches of this stack stand at a node. */
  get #standing(): number {
    let count = 0
    for (let at: Frame | undefined = this.#x.frame; at !== undefined; at = at.link?.caller) if (this.#isKindred(at)) count++
    return count
  }

  /** The pipelines on the stack that a program of another kind has called, with what the run had used up by then. */
  *#guests(): Generator<{ readonly frame: Frame; readonly before: Spent }> {
    for (let at: Frame | undefined = this.#x.frame; at !== undefined; at = at.link?.caller) {
      if (at.link?.kindred !== false || !this.#isKindred(at)) continue
      const { before } = at === this.#x.frame ? this.#charter() : (Tally.of(at.books()).charter ?? {})
      if (before !== undefined) yield { frame: at, before: { ...before, calls: 0 } }
    }
  }

  /** What the pipeline has used to which the frame belongs. */
  get usedByPipeline(): Used {
    const { tokens, cost, steps = 0 } = spentBelow(pipelineFrame(this.#x.frame), this.#here)
    return { tokens, cost, steps, time: this.#timeOf(this.#charter()) }
  }

  /** What the operator allows the run, with what was added to it since; nothing where he bounds nothing. */
  get operatorBounds(): Bounds | undefined {
    const { limits } = this.#charter()
    if (BOUNDS.every((bound) => limits[bound] === undefined)) return undefined
    const { raised = {} } = this.spentByRun
    const bounded = BOUNDS.filter((bound) => limits[bound] !== undefined || raised[bound] !== undefined)
    return Object.fromEntries(bounded.map((bound) => [bound, (limits[bound] ?? 0) + (raised[bound] ?? 0)]))
  }

  /** How much is left, as conditions read it (reference pipeline 5.5). */
  get status(): 'normal' | 'low' | 'over' {
    const own = ownBounds(this.#x.def)
    const given = this.operatorBounds
    const share = Math.max(
      own === undefined ? 0 : shareUsed(own, this.usedByPipeline),
      given === undefined ? 0 : shareUsed(given, this.usedByRun),
    )
    return share >= 1 ? 'over' : share >= LOW ? 'low' : 'normal'
  }

  /** The bounds of which at least the share is used from which on a budget is low, in words; empty where none is. */
  get nearlySpent(): readonly string[] {
    const pairs = [
      [ownBounds(this.#x.def), () => this.usedByPipeline],
      [this.operatorBounds, () => this.usedByRun],
    ] as const
    return pairs.flatMap(([bounds, usedBy]) => {
      if (bounds === undefined) return []
      const used = usedBy()
      return BOUNDS.filter((bound) => used[bound] >= LOW * (bounds[bound] ?? Number.POSITIVE_INFINITY)).map((bound) =>
        describeBound(bound, bounds, used),
      )
    })
  }

  get #here(): Here {
    return { frame: this.#x.frame, own: this.own, gathered: this.#gathered, isKindred: this.#isKindred }
  }

  readonly #isKindred: Here['isKindred'] = (one) => this.#x.isKindred(one)

  /** Milliseconds since a pipeline began, without those for which the run was set aside since. */
  #timeOf({ began, aside = 0 }: Pick<Charter, 'began' | 'aside'>): number {
    const { now, aside: all } = this.#x
    return began === undefined ? 0 : now - began - (all - aside)
  }

  /** The charter of the outermost pipeline of the run. */
  #outermost(): Pick<Charter, 'began' | 'aside' | 'before'> {
    let found: Pick<Charter, 'began' | 'aside' | 'before'> = this.#charter()
    for (let { link } = this.#x.frame; link !== undefined; link = link.caller.link)
      if (this.#isKindred(link.caller)) found = Tally.of(link.caller.books()).charter ?? found
    return found
  }
}
