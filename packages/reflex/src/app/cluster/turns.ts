import { isFault, isList, isObject } from '../../kernel/index.ts'
import type { WorkerEvent } from '../options.ts'
import { RunCarrier, type Taken, type WorkingReflex } from '../run-carrier.ts'
import type { TurnOutcome } from '../../store/index.ts'
import type { WorkerWords } from './words.ts'

/** The options of a process that takes turns. */
export interface TurnOptions {
  readonly signal: AbortSignal
  readonly grace: number
  /** The most runs that it holds at once: those under way, and those at rest that are due again within seconds. */
  readonly maxRuns: number
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined
}

/** Faults of a run that another process continues. */
const HELD: ReadonlySet<string> = new Set(['R5001', 'R5002'])
/** Faults of a run that has ended or is deleted. */
const GONE: ReadonlySet<string> = new Set(['R2001', 'R2016'])
/** Faults that another attempt or another machine may not have: a batch that the store refused, and a module of tools that is not on this machine. */
const HERE: ReadonlySet<string> = new Set(['R5005', 'R1026'])

/** The turns of runs that a cluster gives this process. */
export class Turns {
  readonly #reflex: WorkingReflex
  readonly #words: WorkerWords
  readonly #carrier: RunCarrier
  readonly #maxRuns: number
  /** The turns under way, by run. Two of one run are one. */
  readonly #turns = new Map<string, Promise<TurnOutcome>>()
  /** The queues of the runs that it has. */
  readonly #queues = new Map<string, string>()
  #limited: ReadonlySet<string> = new Set()

  constructor(reflex: WorkingReflex, words: WorkerWords, { signal, grace, maxRuns, onEvent }: TurnOptions) {
    this.#reflex = reflex
    this.#words = words
    this.#maxRuns = maxRuns
    this.#carrier = new RunCarrier(reflex, { signal, grace, onEvent, inspect: words.require })
  }

  /** Sets the queues whose runs are not held between two turns, and releases those that are. */
  limit(queues: ReadonlySet<string>): void {
    this.#limited = queues
    for (const [run, queue] of this.#queues) if (queues.has(queue)) this.#carrier.letGo(run)
  }

  /**
   * Carries a run of a queue on until it rests. Does not reject. A run that is due again within seconds stays with this process after that, which
   * continues it by itself, unless its queue is limited; with too many of them, those at rest are released.
   */
  carry(run: string, queue: string): Promise<TurnOutcome> {
    const known = this.#turns.get(run)
    if (known !== undefined) return known
    const turn = this.#carry(run, queue).finally(() => this.#turns.delete(run))
    this.#turns.set(run, turn)
    return turn
  }

  async #carry(run: string, queue: string): Promise<TurnOutcome> {
    if (this.#carrier.has(run)) {
      await this.#carrier.rested(run)
      return { did: 'rested' }
    }
    this.#carrier.makeRoom(this.#carrier.size + 1 - this.#maxRuns)
    this.#queues.set(run, queue)
    const taken = this.#carrier.take(run, !this.#limited.has(queue)).finally(() => this.#queues.delete(run))
    const rested = this.#carrier.rested(run).then((): Taken | undefined => undefined)
    const end = (await Promise.race([taken, rested])) ?? (this.#carrier.has(run) ? undefined : await taken)
    if (end !== undefined) return this.#outcome(run, end)
    void taken.then((later) => later.did === 'failed' && this.#carrier.fail(run, later.thrown))
    return { did: 'rested' }
  }

  async #outcome(run: string, end: Taken): Promise<TurnOutcome> {
    if (end.did === 'left') {
      await this.#reflex.runtime.whenReleased()
      return { did: 'rested' }
    }
    // Only the process that began it can continue it.
    if (end.did === 'hosted') return { did: 'gone' }
    if (end.did === 'elsewhere') return { did: 'held' }
    const { thrown } = end
    const code = isFault(thrown) ? thrown.code : ''
    if (HELD.has(code)) return { did: 'held' }
    if (GONE.has(code)) return { did: 'gone' }
    const needs = await this.#needsOf(run, thrown)
    if (needs.length > 0) return { did: 'lacks', needs }
    const fault = this.#carrier.fail(run, thrown)
    return { did: 'failed', fault, again: fault.verdict === 'wait' || fault.verdict === 'retry' || HERE.has(code) }
  }

  async #needsOf(run: string, thrown: unknown): Promise<readonly string[]> {
    if (!isFault(thrown)) return []
    if (thrown.code === 'R5144' && isObject(thrown.data) && isList(thrown.data['needs'])) return thrown.data['needs'].map(String)
    // The store is away, or refused: that says nothing of the programs.
    if (thrown.verdict === 'retry' || thrown.verdict === 'wait') return []
    return this.#words.lackingOf(run).catch(() => [])
  }

  /** The runs that it has taken and not released. */
  get runs(): readonly string[] {
    return this.#carrier.runs
  }

  /** Releases the runs, after the grace for effects in flight. */
  async stop(): Promise<void> {
    const { host } = this.#reflex
    let cancelTimer = (): void => undefined
    const pause = (ms: number): Promise<void> =>
      new Promise((resolve) => {
        cancelTimer = host.at(host.now() + ms, resolve)
      })
    // What is left of the grace would keep the process alive.
    await this.#carrier.stop(pause).finally(() => cancelTimer())
  }
}
