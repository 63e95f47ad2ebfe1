import type { Batch, Store } from '../../kernel/ports/store.ts'
import { type Fate, forever, type StoreCall } from './fate.ts'

/** What is told of the calls of a store. */
export interface StoreTold {
  committed?(batches: readonly Batch[]): void
  appended?(ledger: string): void
}

/** A store as one process sees it: every call is two moments of its life, before and after. */
export class FatedStore {
  /** Calls under way. */
  pending = 0
  readonly #fate: Fate
  readonly #told: StoreTold
  readonly #pause: (() => Promise<void>) | undefined

  /** `pause` makes the store answer later, as one on another machine does. */
  constructor(fate: Fate, told: StoreTold, pause?: () => Promise<void>) {
    this.#fate = fate
    this.#told = told
    this.#pause = pause
  }

  over(store: Store): Store {
    const fated = <Name extends StoreCall>(what: Name): Store[Name] =>
      ((...args: never[]) =>
        this.#call(what, () => Reflect.apply<Store, never[], unknown>(store[what], store, args))) as unknown as Store[Name]
    return {
      durable: store.durable,
      name: store.name,
      hello: fated('hello'),
      beat: fated('beat'),
      create: fated('create'),
      claim: fated('claim'),
      release: fated('release'),
      read: fated('read'),
      journal: fated('journal'),
      runs: fated('runs'),
      program: fated('program'),
      blob: fated('blob'),
      post: fated('post'),
      inbox: fated('inbox'),
      unread: fated('unread'),
      watch: (posted) => store.watch(() => this.#fate.dead || posted()),
      due: fated('due'),
      sweep: fated('sweep'),
      ledger: fated('ledger'),
      append: (ledger, ...args) => {
        this.#told.appended?.(ledger)
        return this.#call('append', () => store.append(ledger, ...args))
      },
      commit: (batches) =>
        this.#call('commit', () => {
          const refused = store.commit(batches)
          const note = (ids: readonly string[]) => {
            this.#told.committed?.(batches.filter(({ lease }) => !ids.includes(lease.run)))
            return ids
          }
          return refused instanceof Promise ? refused.then(note) : note(refused)
        }),
      close: () => {},
    }
  }

  /** At once where nothing stands in the way, so that a store that answers at once still does. */
  #call<T>(what: StoreCall, act: () => T): T {
    const fate = this.#fate
    if (fate.dead) return forever() as T
    if (this.#pause !== undefined || fate.stopped !== undefined) return this.#later(what, act) as T
    fate.meets({ what, when: 'before' })
    if (fate.dead) return forever() as T
    if (stands(fate)) return this.#later(what, act, true) as T
    const answer = act()
    if (answer instanceof Promise) return this.#waited(this.#after(what, answer)) as T
    fate.meets({ what, when: 'after' })
    if (fate.dead) return forever() as T
    return stands(fate) ? (this.#waited(this.#goOn(answer)) as T) : answer
  }

  async #later<T>(what: StoreCall, act: () => T, met = false): Promise<Awaited<T>> {
    return this.#waited(this.#slowly(what, act, met))
  }

  async #slowly<T>(what: StoreCall, act: () => T, met: boolean): Promise<Awaited<T>> {
    await this.#fate.stopped
    await this.#pause?.()
    if (!met && !this.#fate.dead) this.#fate.meets({ what, when: 'before' })
    await this.#fate.stopped
    if (this.#fate.dead) return forever()
    return this.#after(what, act())
  }

  async #after<T>(what: StoreCall, answer: T): Promise<Awaited<T>> {
    const value = await answer
    if (this.#fate.dead) return forever()
    this.#fate.meets({ what, when: 'after' })
    await this.#pause?.()
    return this.#goOn(value)
  }

  async #goOn<T>(value: T): Promise<Awaited<T>> {
    await this.#fate.stopped
    return this.#fate.dead ? forever() : await value
  }

  async #waited<T>(answer: Promise<T>): Promise<T> {
    this.pending++
    try {
      return await answer
    } finally {
      this.pending--
    }
  }
}

/** Read anew: a moment may have changed it. */
function stands(fate: Fate): boolean {
  return fate.stopped !== undefined
}
