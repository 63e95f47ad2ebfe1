import type { Reflex } from '../../app/reflex.ts'
import { type FaultData, isObject, type Json, type NewEntry } from '../../kernel/index.ts'

/** The first event of a run that a subscription has not delivered. */
export interface Behind {
  readonly at: number
  readonly index: number
  /** Events before this time are delivered: milliseconds since the epoch. */
  readonly from?: number
  /** The failed attempts, the time of the first one, and the time of the next. */
  readonly tries?: number
  readonly since?: number
  readonly next?: number
}

/** The place up to which the runs with events are known. */
export interface Cursor {
  readonly place: string
  readonly time: number
}

/** The counts of a subscription, for people. */
export interface DeliveryStatus {
  readonly delivered: number
  readonly givenUp: number
  readonly last?: { readonly id: string; readonly time: number }
  readonly failure?: { readonly id: string; readonly time: number; readonly error: FaultData }
}

// No run has a name that begins with a space.
const LEASE = ' lease'
const CURSOR = ' cursor'
const STATUS = ' status'
/** Milliseconds for which superseded entries are kept. */
const KEEP_MS = 3_600_000

/**
 * The marks of one subscription in a ledger of the store: which process delivers, the place up to which runs are known, and for each run with
 * events that are not delivered the first of them. What the events are is read from the journals.
 */
export class DeliveryMarks {
  readonly #parts: Pick<Reflex, 'store' | 'host' | 'runtime'>
  readonly #ledger: string
  readonly #me: string
  #leaseSeq = 0
  cursor: Cursor | undefined
  status: DeliveryStatus = { delivered: 0, givenUp: 0 }
  readonly behind = new Map<string, Behind>()

  constructor(parts: Pick<Reflex, 'store' | 'host' | 'runtime'>, subscription: string) {
    this.#parts = parts
    this.#ledger = `serve.deliveries/${subscription}`
    this.#me = parts.host.entropy()
  }

  /** Milliseconds for which this process delivers, unless it renews its lease: those of the lease of its runs. */
  get leaseMs(): number {
    return this.#parts.runtime.leaseMs
  }

  /** Takes or renews the lease. Returns false while another process has it. */
  async lease(): Promise<boolean> {
    const { store, host } = this.#parts
    const [entry] = (await store.latest(this.#ledger, [LEASE])).entries
    const { by, until } = isObject(entry?.value) ? entry.value : {}
    if (by !== this.#me && typeof until === 'number' && until > host.now()) return false
    return this.#writeLease(host.now() + this.leaseMs, entry?.seq ?? 0)
  }

  /** Ends the lease, so that another process continues at once. */
  async release(): Promise<void> {
    if (this.#leaseSeq !== 0) await this.#writeLease(0, this.#leaseSeq)
  }

  async #writeLease(until: number, after: number): Promise<boolean> {
    const { store, host } = this.#parts
    const entry = { name: LEASE, value: { by: this.#me, until }, after }
    const appended = await store.appendAll(this.#ledger, host.entropy(), [entry], host.now(), { keep: KEEP_MS })
    this.#leaseSeq = 'numbers' in appended ? (appended.numbers[0] ?? 0) : 0
    return 'numbers' in appended
  }

  /** Reads all marks. */
  async read(): Promise<void> {
    const { entries } = await this.#parts.store.latest(this.#ledger)
    this.behind.clear()
    for (const { name = '', value } of entries) {
      if (!isObject(value)) continue
      if (name === CURSOR) this.cursor = value as object as Cursor
      else if (name === STATUS) this.status = value as object as DeliveryStatus
      else if (name !== LEASE) this.behind.set(name, value as object as Behind)
    }
  }

  /**
   * Writes marks together; undefined removes that of a run. Only the process with the lease writes: a process whose lease another one has
   * taken writes nothing. Returns false then.
   */
  async write({
    runs = new Map(),
    cursor,
    status,
  }: {
    readonly runs?: ReadonlyMap<string, Behind | undefined>
    readonly cursor?: Cursor
    readonly status?: DeliveryStatus
  }): Promise<boolean> {
    const { store, host } = this.#parts
    const entries: NewEntry[] = [
      { name: LEASE, value: { by: this.#me, until: host.now() + this.leaseMs }, after: this.#leaseSeq },
      ...[...runs].map(([name, value]) => (value === undefined ? { name } : { name, value: value as object as Json })),
      ...(cursor === undefined ? [] : [{ name: CURSOR, value: cursor as object as Json }]),
      ...(status === undefined ? [] : [{ name: STATUS, value: status as object as Json }]),
    ]
    const appended = await store.appendAll(this.#ledger, host.entropy(), entries, host.now(), { keep: KEEP_MS })
    if (!('numbers' in appended)) return false
    this.#leaseSeq = appended.numbers[0] ?? 0
    for (const [name, value] of runs)
      if (value === undefined) this.behind.delete(name)
      else this.behind.set(name, value)
    this.cursor = cursor ?? this.cursor
    this.status = status ?? this.status
    return true
  }
}
