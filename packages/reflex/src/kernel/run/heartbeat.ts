import type { Fault } from '../journal/fault.ts'
import { faults } from '../journal/faults.ts'
import type { Host } from '../ports/host.ts'
import type { Awaitable, Lease, Store, Worker } from '../ports/store.ts'

/** The result of a check whether this process still owns a run; a fault if the store did not answer in time. */
export type LeaseCheck = 'held' | 'lost' | Fault

/** Callbacks about the heartbeat of a process. */
export interface HeartbeatListener {
  /** Called when the store has confirmed a heartbeat. */
  onConfirmed(): void
  /** Called once when no heartbeat is confirmed and less than a quarter of the lease is left: from then on nothing is performed. */
  onTrouble(fault: Fault): void
}

interface Question {
  readonly lease: Lease
  readonly askedAt: Moment
  readonly onAnswer: (check: LeaseCheck) => void
}

/** A time on both clocks: the wall clock may be set, and the monotonic clock stops while a machine sleeps. */
interface Moment {
  readonly wall: number
  readonly monotonic: number
}

/**
 * The heartbeat of a process. Other processes may take over its runs when a lease has passed since its last heartbeat in the
 * store. So this process trusts its leases only while a quarter of that time is left, counted from the sending of the last
 * confirmed heartbeat; after that it asks the store first. If a whole lease passed without a heartbeat, each run may have a new
 * owner: its token decides.
 */
export class Heartbeat {
  readonly #store: Store
  readonly #worker: Worker
  readonly #host: Host
  readonly #leaseMs: number
  readonly #listener: HeartbeatListener
  /** The time at which the last confirmed heartbeat was sent. */
  #confirmed: Moment
  /** The number of gaps. */
  #gaps = 0
  /** For each lease, the number of gaps at its last confirmation. */
  readonly #gapsAt = new WeakMap<Lease, number>()
  #questions: Question[] = []
  #beating = false
  #silent = false
  #closed = false
  #stopTimer: (() => void) | undefined

  constructor(store: Store, worker: Worker, host: Host, leaseMs: number, listener: HeartbeatListener) {
    this.#store = store
    this.#worker = worker
    this.#host = host
    this.#leaseMs = leaseMs
    this.#listener = listener
    this.#confirmed = this.#time()
  }

  /** Registers the process with its store, and sends heartbeats from then on. Throws the faults of the store. */
  async begin(): Promise<void> {
    const sent = this.#time()
    await this.#store.hello(this.#worker, sent.wall, this.#leaseMs)
    this.#confirmed = sent
    this.#next(3)
  }

  stop(): void {
    this.#closed = true
    this.#stopTimer?.()
    this.#questions = []
  }

  /** Takes a lease from the store. A gap during the request counts for this lease. */
  async track<T>(take: () => T, leaseOf: (taken: Awaited<T>) => Lease | undefined): Promise<Awaited<T>> {
    const gaps = this.#gaps
    const taken = await take()
    const lease = leaseOf(taken)
    if (lease !== undefined) this.#gapsAt.set(lease, gaps)
    return taken
  }

  /** True if no other process can own the run now. Reads the clocks. */
  isConfirmed(lease: Lease): boolean {
    return this.#gapsAt.get(lease) === this.#gaps && this.#since(this.#confirmed) <= this.#leaseMs * 0.75
  }

  /**
   * Asks the store, by a heartbeat, whether this process still owns a run. The answer is synchronous if the store is. If the
   * store fails, it is asked again for the duration of a lease.
   */
  ask(lease: Lease, onAnswer: (check: LeaseCheck) => void): void {
    this.#questions.push({ lease, askedAt: this.#time(), onAnswer })
    this.#beat()
  }

  #beat(): void {
    if (this.#closed || this.#beating) return
    this.#beating = true
    this.#stopTimer?.()
    const questions = this.#questions.splice(0)
    const sent = this.#time()
    const failed = (thrown: unknown) => this.#onFailed(questions, thrown)
    const leases = questions.map(({ lease }) => lease)
    let owned: Awaitable<readonly string[]>
    try {
      owned = this.#store.beat(this.#worker, sent.wall, leases)
    } catch (thrown) {
      return failed(thrown)
    }
    if (owned instanceof Promise) this.#withTimeLimit(owned, (runs) => this.#onAnswer(sent, questions, runs), failed)
    else this.#onAnswer(sent, questions, owned)
  }

  /** A heartbeat without an answer after a quarter of the lease has failed: the next one must not wait for it. */
  #withTimeLimit(owned: Promise<readonly string[]>, answered: (runs: readonly string[]) => void, failed: (thrown: unknown) => void): void {
    let isOver = false
    const once =
      <T>(act: (value: T) => void) =>
      (value: T) => {
        if (isOver) return
        isOver = true
        stopLimit()
        act(value)
      }
    const fail = once(failed)
    const stopLimit = this.#host.at(this.#host.now() + this.#leaseMs / 4, () => fail(new Error('the store does not answer')), true)
    owned.then(once(answered), fail)
  }

  #onAnswer(sent: Moment, questions: readonly Question[], owned: readonly string[]): void {
    if (this.#since(sent) > this.#leaseMs / 4) return this.#onFailed(questions, new Error('the store answers too late'))
    this.#beating = false
    if (this.#since(this.#confirmed) >= this.#leaseMs) this.#gaps++
    this.#confirmed = sent
    this.#silent = false
    this.#next(3)
    for (const { lease, onAnswer: answer } of questions) {
      if (owned.includes(lease.run)) this.#gapsAt.set(lease, this.#gaps)
      answer(owned.includes(lease.run) ? 'held' : 'lost')
    }
    this.#listener.onConfirmed()
    if (this.#questions.length > 0) this.#beat()
  }

  #onFailed(questions: readonly Question[], thrown: unknown): void {
    this.#beating = false
    const all = [...questions, ...this.#questions.splice(0)]
    this.#questions = all.filter(({ askedAt }) => this.#since(askedAt) < this.#leaseMs)
    this.#next(12)
    for (const question of all) if (!this.#questions.includes(question)) question.onAnswer(this.#fault(thrown, question.lease.run))
    if (this.#silent || this.#since(this.#confirmed) < this.#leaseMs * 0.75) return
    this.#silent = true
    this.#listener.onTrouble(this.#fault(thrown))
  }

  #fault(cause: unknown, run?: string): Fault {
    const store = `the store ${this.#store.name}`
    if (run === undefined)
      return faults.make('R5012', `${store} does not confirm the lease of this process; no effect begins until it does`, { cause })
    return faults.make('R5012', `${store} did not confirm the lease of ${run}; its next effect was not performed`, { run, cause })
  }

  #next(part: number): void {
    if (this.#closed) return
    this.#stopTimer?.()
    this.#stopTimer = this.#host.at(this.#host.now() + Math.ceil(this.#leaseMs / part), () => this.#beat(), true)
  }

  #time(): Moment {
    return { wall: this.#host.now(), monotonic: this.#host.monotonic() }
  }

  #since({ wall, monotonic }: Moment): number {
    return Math.max(this.#host.now() - wall, this.#host.monotonic() - monotonic)
  }
}
