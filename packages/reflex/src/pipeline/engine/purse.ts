import type { StepContext } from '../../kernel/context.ts'
import type { Frame } from '../../kernel/frame.ts'
import { isObject } from '../../kernel/json.ts'
import { BOUNDS, type Bounds, shareUsed, type Used } from '../../policy/index.ts'
import type { TypedGraph } from '../compile/typed.ts'
import { ownBounds } from './own-bounds.ts'
import type { Charter } from './handler.ts'
import { type Here, ownSpent, pipelineFrame, rootFrame, spentBelow, spentByEnded } from './spending.ts'
import { addSpent, keepSpent, mostSpent, type Spent, Tally } from './tally.ts'

/** The share of a bound from which on it is low. */
const LOW = 0.8

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
   * What the run has used: every pipeline in it, their branches, what they call. What a program of another kind has called and has
   * returned stands on no board: it is in what its charter says that was used before.
   */
  get spentByRun(): Spent {
    let spent = spentBelow(rootFrame(this.#x.frame), this.#here)
    for (const { frame, before } of this.#guests()) spent = mostSpent(spent, addSpent(before, spentBelow(frame, this.#here)))
    return spent
  }

  get usedByRun(): Used {
    const { tokens, cost, steps = 0 } = this.spentByRun
    const outermost = this.#outermost()
    return { tokens, cost, steps, time: this.#timeOf(outermost) + (outermost.before?.time ?? 0) }
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
    const bounded = BOUNDS.filter((bound) => limits[bound] !== undefined)
    if (bounded.length === 0) return undefined
    const { raised = {} } = this.spentByRun
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
