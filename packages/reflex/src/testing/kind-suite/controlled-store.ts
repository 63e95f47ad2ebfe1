import type { Batch, Store } from '../../kernel/index.ts'
import { type ProcessControl, neverResolves, type StoreCall } from './process-control.ts'

/** Listens to the calls of a store. */
export interface StoreListener {
  onCommit?(batches: readonly Batch[]): void
  onAppend?(ledger: string): void
}

/** A store as one process sees it. Each call is two moments of the process: before and after. */
export class ControlledStore {
  /** The number of calls in progress. */
  pending = 0
  readonly #control: ProcessControl
  readonly #listener: StoreListener
  readonly #pause: (() => Promise<void>) | undefined

  /** `pause` delays the answers of the store, as on another machine. */
  constructor(control: ProcessControl, listener: StoreListener, pause?: () => Promise<void>) {
    this.#control = control
    this.#listener = listener
    this.#pause = pause
  }

  wrap(store: Store): Store {
    const controlled = <Name extends StoreCall>(what: Name): Store[Name] =>
      ((...args: never[]) =>
        this.#call(what, () => Reflect.apply<Store, never[], unknown>(store[what], store, args))) as unknown as Store[Name]
    return {
      durable: store.durable,
      name: store.name,
      hello: controlled('hello'),
      beat: controlled('beat'),
      create: controlled('create'),
      claim: controlled('claim'),
      release: controlled('release'),
      read: controlled('read'),
      journal: controlled('journal'),
      batches: async function* (run, from, until = Number.POSITIVE_INFINITY) {
        for (const batch of await controlled('journal')(run, from)) if (batch.first <= until) yield batch
      },
      segments: controlled('segments'),
      segment: controlled('segment'),
      pack: controlled('pack'),
      forget: controlled('forget'),
      committed: controlled('committed'),
      runs: controlled('runs'),
      program: controlled('program'),
      blob: controlled('blob'),
      post: controlled('post'),
      postAll: controlled('postAll'),
      posted: controlled('posted'),
      inbox: controlled('inbox'),
      unread: controlled('unread'),
      watch: (posted) => store.watch(() => this.#control.dead || posted()),
      due: controlled('due'),
      sweep: controlled('sweep'),
      ledger: controlled('ledger'),
      latest: controlled('latest'),
      compact: controlled('compact'),
      append: (ledger, ...args) => {
        this.#listener.onAppend?.(ledger)
        return this.#call('append', () => store.append(ledger, ...args))
      },
      appendAll: (ledger, ...args) => {
        this.#listener.onAppend?.(ledger)
        return this.#call('appendAll', () => store.appendAll(ledger, ...args))
      },
      commit: (batches) => this.#call('commit', () => this.#commit(store, batches)),
      close: () => {},
    }
  }

  #commit(store: Store, batches: readonly Batch[]): ReturnType<Store['commit']> {
    const refused = store.commit(batches)
    const notify = (ids: readonly string[]) => {
      this.#listener.onCommit?.(batches.filter(({ lease }) => !ids.includes(lease.run)))
      return ids
    }
    return refused instanceof Promise ? refused.then(notify) : notify(refused)
  }

  /** Calls the store at once if nothing delays it, so that a synchronous store stays synchronous. */
  #call<T>(what: StoreCall, call: () => T): T {
    const control = this.#control
    if (control.dead) return neverResolves() as T
    if (this.#pause !== undefined || control.stopped !== undefined) return this.#callLater(what, call) as T
    control.onMoment({ what, when: 'before' })
    if (control.dead) return neverResolves() as T
    if (isStopped(control)) return this.#callLater(what, call, true) as T
    const answer = call()
    if (answer instanceof Promise) return this.#counted(this.#finish(what, answer)) as T
    control.onMoment({ what, when: 'after' })
    if (control.dead) return neverResolves() as T
    return isStopped(control) ? (this.#counted(this.#whenResumed(answer)) as T) : answer
  }

  async #callLater<T>(what: StoreCall, call: () => T, hasStarted = false): Promise<Awaited<T>> {
    return this.#counted(this.#callPaused(what, call, hasStarted))
  }

  async #callPaused<T>(what: StoreCall, call: () => T, hasStarted: boolean): Promise<Awaited<T>> {
    await this.#control.stopped
    await this.#pause?.()
    if (!hasStarted && !this.#control.dead) this.#control.onMoment({ what, when: 'before' })
    await this.#control.stopped
    if (this.#control.dead) return neverResolves()
    return this.#finish(what, call())
  }

  async #finish<T>(what: StoreCall, answer: T): Promise<Awaited<T>> {
    const value = await answer
    if (this.#control.dead) return neverResolves()
    this.#control.onMoment({ what, when: 'after' })
    await this.#pause?.()
    return this.#whenResumed(value)
  }

  async #whenResumed<T>(value: T): Promise<Awaited<T>> {
    await this.#control.stopped
    return this.#control.dead ? neverResolves() : await value
  }

  async #counted<T>(answer: Promise<T>): Promise<T> {
    this.pending++
    try {
      return await answer
    } finally {
      this.pending--
    }
  }
}

/** True if the process is stopped. It reads the state again, because a moment can change it. */
function isStopped(control: ProcessControl): boolean {
  return control.stopped !== undefined
}
