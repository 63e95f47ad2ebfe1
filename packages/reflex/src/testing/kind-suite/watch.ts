import { decodeBatch, copyJson, type Json, type Call, type Port, type Traits, type Rec, type Ref, type Batch } from '../../kernel/index.ts'
import { PortSession } from './port-session.ts'
import { type ProcessControl, neverResolves } from './process-control.ts'

/**
 * The violations that no fault may cause: something settled, sent or acknowledged is `lost`; an effect or a message is `repeated`;
 * something left too `early`; the run `differs` from an undisturbed one; a failure is `untyped`; a run is `stuck`, or it is `unowned` while
 * lists show it as running.
 */
export type Breach = 'lost' | 'repeated' | 'early' | 'differs' | 'untyped' | 'stuck' | 'unowned'

export interface Violation {
  readonly breach: Breach
  readonly text: string
}

/** An event in the world, as JSON, so that it can outlive a process that is really killed. */
export type WorldEvent =
  /** An effect was performed, with its key; null if it can be repeated freely. */
  | readonly ['performed', id: string, key: string | null]
  | readonly ['result', id: string, value: Json]
  | readonly ['failure', id: string]
  /** A message was accepted for the run. */
  | readonly ['told', id: string]
  /** The sender of an answer was notified that record `n` holds it. */
  | readonly ['heard', n: number, what: string]
  | readonly ['violation', Breach, text: string]

/**
 * The world outside, which outlives the processes: the effects that were really performed, and the records that were durable at that time.
 * It finds effects that break the rules.
 */
export class Watch {
  readonly violations: Violation[] = []
  /** The names of the ledgers that were written. */
  readonly ledgers = new Set<string>()
  /** Messages that were accepted for the run. */
  readonly accepted = new Set<string>()
  /** By record number: the answer that was acknowledged. */
  readonly acknowledged = new Map<number, string>()
  /** The records that subscribers have seen, by number. */
  readonly published = new Map<number, Rec>()
  /** The number of durable records. */
  durableCount = 0
  readonly #remember: ((event: WorldEvent) => void) | undefined
  readonly #settled = new Set<string>()
  readonly #requested = new Map<string, string>()
  readonly #everPerformed = new Set<string>()
  readonly #performed = new Map<string, { readonly times: number; readonly key: string }>()
  readonly #permitted = new Map<string, number>()
  readonly #results = new Map<string, Promise<Json | undefined>>()

  /** `remember` receives every event, in order. */
  constructor(remember?: (event: WorldEvent) => void) {
    this.#remember = remember
  }

  /** Reads a batch that becomes durable. */
  readBatch(batch: Batch): void {
    const blobs = batch.blobs
    decodeBatch(batch.version, batch.body, (hash) => blobs?.get(hash) ?? 'null').forEach((record, i) =>
      this.markDurable(batch.first + i, record),
    )
  }

  markDurable(n: number, record: Rec): void {
    const { input, requests, more } = record
    this.durableCount = Math.max(this.durableCount, n)
    if (input?.[0] === 'ok' || input?.[0] === 'err') this.#settled.add(String(input[1]))
    requests?.forEach(([port], i) => this.#requested.set(i === 0 ? `${n}` : `${n}.${i}`, port))
    if (more?.repeat !== undefined) this.#permitted.set(String(more.repeat), (this.#permitted.get(String(more.repeat)) ?? 0) + 1)
  }

  /** True if the settlement of an effect is durable. */
  hasSettled(id: Ref): boolean {
    return this.#settled.has(String(id))
  }

  /** True if an effect was ever performed. */
  wasPerformed(id: Ref): boolean {
    return this.#everPerformed.has(String(id))
  }

  /** Returns the result of an effect, as a person would find it on the other side; undefined if the effect was never performed. */
  resultOf(id: Ref): Promise<Json | undefined> | undefined {
    return this.#results.get(String(id))
  }

  report(breach: Breach, text: string): void {
    this.handle(['violation', breach, text])
  }

  /** Records that a subscriber has seen a durable record. No subscriber can see a record with the same number again. */
  publish(n: number, record: Rec): void {
    if (this.published.has(n)) this.report('lost', `record ${n} became durable twice`)
    this.published.set(n, record)
  }

  /** Records that an answer was acknowledged as record `n`. The same answer cannot be acknowledged again. */
  acknowledge(n: number, what: string): void {
    if ([...this.acknowledged.values()].includes(what)) this.report('lost', `${what} was acknowledged twice, again as record ${n}`)
    this.handle(['heard', n, what])
  }

  /** Handles an event, from the live run or restored from memory. */
  handle(event: WorldEvent, isRestored = false): void {
    switch (event[0]) {
      case 'performed':
        this.#everPerformed.add(event[1])
        // An effect that can be repeated freely and was not durable can give its number to another effect.
        if (event[2] !== null) this.#performed.set(event[1], { times: (this.#performed.get(event[1])?.times ?? 0) + 1, key: event[2] })
        break
      case 'result':
        if (isRestored) this.#results.set(event[1], Promise.resolve(event[2]))
        break
      case 'failure':
        if (isRestored) this.#results.set(event[1], Promise.resolve(undefined))
        break
      case 'told':
        this.accepted.add(event[1])
        break
      case 'heard':
        this.acknowledged.set(event[1], event[2])
        break
      case 'violation':
        this.violations.push({ breach: event[1], text: event[2] })
        break
    }
    if (!isRestored) this.#remember?.(event)
  }

  /** Wraps a port so that each performance is two moments of the process: before and after. */
  watchedPort(port: Port, control: ProcessControl): Port {
    const session = new PortSession(port, control, (text) => this.report('early', text))
    return {
      leaves: port.leaves,
      repeat: port.repeat,
      ...(port.traits === undefined ? {} : { traits: (call) => withoutReserves(port.traits?.(call) ?? port) }),
      ...(port.accept === undefined ? {} : { accept: port.accept.bind(port) }),
      ...(port.used === undefined ? {} : { used: port.used.bind(port) }),
      ...(port.reject === undefined ? {} : { reject: port.reject.bind(port) }),
      ...(port.simulate === undefined ? {} : { simulate: typeof port.simulate === 'function' ? port.simulate.bind(port) : port.simulate }),
      open: (run) => session.open(run),
      close: (run, how) => session.close(run, how),
      perform: (call) => {
        if (control.dead) return neverResolves()
        session.checkOpen(`effect ${call.id} of ${call.port}`)
        const { stoppedAt } = control
        control.onMoment({ what: 'perform', when: 'before' })
        if (control.dead) return neverResolves()
        if (control.stopped !== undefined) return control.stopped.then(() => this.#perform(port, call, control, true))
        return this.#perform(port, call, control, control.stoppedAt !== stoppedAt)
      },
    }
  }

  /** Performs an effect. `isChecked` is true if the process was stopped between its last check of the lease and the performance. */
  #perform(port: Port, call: Call, control: ProcessControl, isChecked: boolean): Promise<unknown> {
    this.#check(call, port.traits?.(call) ?? port, isChecked, control.stoppedAt !== undefined)
    const id = String(call.id)
    const performed = perform(port, call)
    const accepted = performed.then((value): Json => {
      const result = port.accept === undefined ? copyJson(value ?? null, 'result') : port.accept(value, call)
      this.handle(['result', id, result])
      return result
    })
    // An exception and a refused result are failures that the run records.
    const outcome = accepted.catch((): undefined => {
      this.handle(['failure', id])
    })
    this.#results.set(id, outcome)
    control.onMoment({ what: 'perform', when: 'after' })
    if (control.dead) return neverResolves()
    return control.stopped === undefined ? performed : control.stopped.then(() => performed)
  }

  #check(call: Call, traits: Traits, isChecked: boolean, wasStopped: boolean): void {
    const id = String(call.id)
    const what = `effect ${id} of ${call.port}`
    const before = this.#performed.get(id)
    const isBound = traits.leaves || traits.repeat !== 'free'
    const times = (before?.times ?? 0) + 1
    this.handle(['performed', id, isBound ? call.key : null])
    // A stopped process does not yet know that another process took over. Nothing prevents the effects that it can perform freely, and a
    // check of the lease does not help if the stop comes after it.
    if (isChecked || (wasStopped && !isBound)) return
    if (this.#settled.has(id)) this.report('repeated', `${what} was performed again after its settlement was durable`)
    if (!isBound) return
    if (this.#requested.get(id) !== call.port) this.report('early', `${what} was performed before its request was durable`)
    if (traits.repeat === 'ask' && times > 1 + (this.#permitted.get(id) ?? 0))
      this.report('repeated', `${what} was performed ${times} times, without a durable permission`)
    if (before !== undefined && before.key !== call.key)
      this.report('repeated', `${what} was performed under the key ${before.key}, and again under the key ${call.key}`)
  }
}

/**
 * Returns the traits without the usage estimate. The possible usage of a lost try is recorded only after a crash, and a disturbed run must
 * end like an undisturbed one.
 */
function withoutReserves({ estimateUsage: _, ...traits }: Traits): Traits {
  return traits
}

async function perform(port: Port, call: Call): Promise<unknown> {
  return port.perform(call)
}
