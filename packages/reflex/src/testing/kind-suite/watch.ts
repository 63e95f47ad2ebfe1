import { decodeBatch } from '../../kernel/journal/codec.ts'
import { copyJson, type Json } from '../../kernel/journal/json.ts'
import type { Call, Port, Traits } from '../../kernel/ports/port.ts'
import type { Rec, Ref } from '../../kernel/journal/record.ts'
import type { Batch } from '../../kernel/ports/store.ts'
import { type Fate, forever } from './fate.ts'

/**
 * What no fault may ever bring about: something settled, told or acknowledged is `lost`; an effect or a message came
 * `repeated`; something left too `early`; the run `differs` from an undisturbed one; a failure is `untyped`; a run is
 * `stuck`, or stays `unowned` while lists call it running.
 */
export type Breach = 'lost' | 'repeated' | 'early' | 'differs' | 'untyped' | 'stuck' | 'unowned'

export interface Violation {
  readonly breach: Breach
  readonly text: string
}

/** What happens in the world, as JSON, so that it can outlive a process that is really killed. */
export type WorldEvent =
  /** An effect was performed; under which key, unless it may be performed freely. */
  | readonly ['performed', id: string, key: string | null]
  | readonly ['result', id: string, value: Json]
  | readonly ['failure', id: string]
  /** A message was accepted for the run. */
  | readonly ['told', id: string]
  /** Whoever told the run something heard that record `n` holds it. */
  | readonly ['heard', n: number, what: string]
  | readonly ['violation', Breach, text: string]

/**
 * The world outside, which outlives the processes: what was really performed, and what was durable when it was.
 * It finds what no effect may ever do.
 */
export class Watch {
  readonly violations: Violation[] = []
  /** The names of the ledgers that were written. */
  readonly ledgers = new Set<string>()
  /** Messages that were accepted for the run. */
  readonly told = new Set<string>()
  /** By record: what somebody was told that it holds. */
  readonly heard = new Map<number, string>()
  /** Records that subscribers have seen, by number. */
  readonly published = new Map<number, Rec>()
  /** How many records are durable. */
  durably = 0
  readonly #remember: ((event: WorldEvent) => void) | undefined
  readonly #settled = new Set<string>()
  readonly #requested = new Map<string, string>()
  readonly #seen = new Set<string>()
  readonly #performed = new Map<string, { readonly times: number; readonly key: string }>()
  readonly #permitted = new Map<string, number>()
  readonly #results = new Map<string, Promise<Json | undefined>>()

  /** `remember` is given everything that happens, in order. */
  constructor(remember?: (event: WorldEvent) => void) {
    this.#remember = remember
  }

  /** Reads what a batch makes durable. */
  committed(batch: Batch): void {
    const blobs = batch.blobs
    decodeBatch(batch.version, batch.body, (hash) => blobs?.get(hash) ?? 'null').forEach((record, i) =>
      this.durable(batch.first + i, record),
    )
  }

  durable(n: number, record: Rec): void {
    const { input, requests, more } = record
    this.durably = Math.max(this.durably, n)
    if (input?.[0] === 'ok' || input?.[0] === 'err') this.#settled.add(String(input[1]))
    requests?.forEach(([port], i) => this.#requested.set(i === 0 ? `${n}` : `${n}.${i}`, port))
    if (more?.repeat !== undefined) this.#permitted.set(String(more.repeat), (this.#permitted.get(String(more.repeat)) ?? 0) + 1)
  }

  /** Whether the settlement of an effect is durable. */
  settled(id: Ref): boolean {
    return this.#settled.has(String(id))
  }

  /** Whether an effect was ever performed. */
  performed(id: Ref): boolean {
    return this.#seen.has(String(id))
  }

  /** Whether an effect happened, as a person would find out on the other side. */
  happened(id: Ref): Promise<Json | undefined> | undefined {
    return this.#results.get(String(id))
  }

  found(breach: Breach, text: string): void {
    this.happens(['violation', breach, text])
  }

  /** Somebody has seen a record as durable: nobody can see one of this number again. */
  publish(n: number, record: Rec): void {
    if (this.published.has(n)) this.found('lost', `record ${n} became durable once more`)
    this.published.set(n, record)
  }

  /** Somebody heard that record `n` holds what he said: nobody can be asked for it again. */
  hear(n: number, what: string): void {
    if ([...this.heard.values()].includes(what)) this.found('lost', `${what} was acknowledged once more, as record ${n}`)
    this.happens(['heard', n, what])
  }

  /** Takes part in what happens, now or, read from what was remembered, once more. */
  happens(event: WorldEvent, again = false): void {
    switch (event[0]) {
      case 'performed':
        this.#seen.add(event[1])
        // The number of a free one that was not durable may come again, for something else.
        if (event[2] !== null) this.#performed.set(event[1], { times: (this.#performed.get(event[1])?.times ?? 0) + 1, key: event[2] })
        break
      case 'result':
        if (again) this.#results.set(event[1], Promise.resolve(event[2]))
        break
      case 'failure':
        if (again) this.#results.set(event[1], Promise.resolve(undefined))
        break
      case 'told':
        this.told.add(event[1])
        break
      case 'heard':
        this.heard.set(event[1], event[2])
        break
      case 'violation':
        this.violations.push({ breach: event[1], text: event[2] })
        break
    }
    if (!again) this.#remember?.(event)
  }

  /** A port whose every performance is two moments of the process's life, before and after. */
  port(port: Port, fate: Fate): Port {
    return {
      leaves: port.leaves,
      repeat: port.repeat,
      ...(port.traits === undefined ? {} : { traits: (call) => unreserved(port.traits?.(call) ?? port) }),
      ...(port.accept === undefined ? {} : { accept: port.accept.bind(port) }),
      ...(port.reject === undefined ? {} : { reject: port.reject.bind(port) }),
      ...(port.anew === undefined ? {} : { anew: port.anew.bind(port) }),
      perform: (call) => {
        if (fate.dead) return forever()
        const { stoodAt } = fate
        fate.meets({ what: 'perform', when: 'before' })
        if (fate.dead) return forever()
        if (fate.stopped !== undefined) return fate.stopped.then(() => this.#perform(port, call, fate, true))
        return this.#perform(port, call, fate, fate.stoodAt !== stoodAt)
      },
    }
  }

  /** `inHand`: its process was stopped between the last look at its lease and the performance. */
  #perform(port: Port, call: Call, fate: Fate, inHand: boolean): Promise<unknown> {
    this.#check(call, port.traits?.(call) ?? port, inHand, fate.stoodAt !== undefined)
    const id = String(call.id)
    const raw = perform(port, call)
    const accepted = raw.then((value): Json => {
      const result = port.accept === undefined ? copyJson(value ?? null, 'result') : port.accept(value, call)
      this.happens(['result', id, result])
      return result
    })
    // What was thrown, and what is refused, is a failure that the run has on record.
    const known = accepted.catch((): undefined => {
      this.happens(['failure', id])
    })
    this.#results.set(id, known)
    fate.meets({ what: 'perform', when: 'after' })
    if (fate.dead) return forever()
    return fate.stopped === undefined ? raw : fate.stopped.then(() => raw)
  }

  #check(call: Call, traits: Traits, inHand: boolean, hasStood: boolean): void {
    const id = String(call.id)
    const what = `effect ${id} of ${call.port}`
    const before = this.#performed.get(id)
    const bound = traits.leaves || traits.repeat !== 'free'
    const times = (before?.times ?? 0) + 1
    this.happens(['performed', id, bound ? call.key : null])
    // A process that was stopped does not yet know that another took over: nothing holds back the effects that it may perform freely,
    // and no look at the lease helps where the stop comes after it.
    if (inHand || (hasStood && !bound)) return
    if (this.#settled.has(id)) this.found('repeated', `${what} was performed again after its settlement was durable`)
    if (!bound) return
    if (this.#requested.get(id) !== call.port) this.found('early', `${what} was performed before its request was durable`)
    if (traits.repeat === 'ask' && times > 1 + (this.#permitted.get(id) ?? 0))
      this.found('repeated', `${what} was performed ${times} times, without a durable permission`)
    if (before !== undefined && before.key !== call.key)
      this.found('repeated', `${what} was performed under ${before.key}, and again under ${call.key}`)
  }
}

/** What a lost try may have used is recorded after a death alone, and the end of a disturbed run must be that of an undisturbed one. */
function unreserved({ reserves: _, ...traits }: Traits): Traits {
  return traits
}

async function perform(port: Port, call: Call): Promise<unknown> {
  return port.perform(call)
}
