import { decodeBatch } from '../../kernel/codec.ts'
import { copyJson, type Json } from '../../kernel/json.ts'
import type { Call, Port, Traits } from '../../kernel/port.ts'
import type { Rec, Ref } from '../../kernel/record.ts'
import type { Batch } from '../../kernel/store.ts'

/** The life of a process, which ends when somebody says so. */
export interface Mortal {
  readonly dead: boolean
  /** One more thing that happens to the world: the process may die right here. */
  event(): void
}

/** What came of an effect, whoever may still hear it. */
type Result = Promise<Json | undefined>

/**
 * The world outside, which outlives the processes: what was really performed, and what was durable when it was.
 * It finds what no effect may ever do.
 */
export class Watch {
  readonly violations: string[] = []
  /** The names of the ledgers that were written. */
  readonly ledgers = new Set<string>()
  readonly #settled = new Set<string>()
  readonly #requested = new Map<string, string>()
  readonly #performed = new Map<string, number>()
  readonly #permitted = new Map<string, number>()
  readonly #results = new Map<string, Result>()

  /** Reads what a batch makes durable. */
  committed(batch: Batch): void {
    const blobs = batch.blobs
    decodeBatch(batch.version, batch.body, (hash) => blobs?.get(hash) ?? 'null').forEach((record, i) =>
      this.durable(batch.first + i, record),
    )
  }

  durable(n: number, record: Rec): void {
    const { input, requests, more } = record
    if (input?.[0] === 'ok' || input?.[0] === 'err') this.#settled.add(String(input[1]))
    requests?.forEach(([port], i) => this.#requested.set(i === 0 ? `${n}` : `${n}.${i}`, port))
    if (more?.repeat !== undefined) this.#permitted.set(String(more.repeat), (this.#permitted.get(String(more.repeat)) ?? 0) + 1)
  }

  /** Whether the settlement of an effect is durable. */
  settled(id: Ref): boolean {
    return this.#settled.has(String(id))
  }

  /** Whether an effect happened, as a person would find out on the other side. */
  happened(id: Ref): Result | undefined {
    return this.#results.get(String(id))
  }

  port(port: Port, life: Mortal): Port {
    return {
      leaves: port.leaves,
      repeat: port.repeat,
      ...(port.traits === undefined ? {} : { traits: port.traits.bind(port) }),
      ...(port.accept === undefined ? {} : { accept: port.accept.bind(port) }),
      ...(port.reject === undefined ? {} : { reject: port.reject.bind(port) }),
      perform: (call) => {
        life.event()
        if (life.dead) return forever()
        this.#check(call, port.traits?.(call) ?? port)
        const raw = perform(port, call)
        this.#results.set(
          String(call.id),
          raw.then(
            (value) => (port.accept === undefined ? copyJson(value ?? null, 'result') : port.accept(value, call)),
            () => undefined,
          ),
        )
        life.event()
        return life.dead ? forever() : raw
      },
    }
  }

  #check(call: Call, traits: Traits): void {
    const id = String(call.id)
    const times = (this.#performed.get(id) ?? 0) + 1
    this.#performed.set(id, times)
    const what = `effect ${id} of ${call.port}`
    if (this.#settled.has(id)) this.violations.push(`${what} was performed again after its settlement was durable`)
    if ((traits.leaves || traits.repeat !== 'free') && this.#requested.get(id) !== call.port)
      this.violations.push(`${what} was performed before its request was durable`)
    if (traits.repeat === 'ask' && times > 1 + (this.#permitted.get(id) ?? 0))
      this.violations.push(`${what} was performed ${times} times, without a durable permission`)
  }
}

async function perform(port: Port, call: Call): Promise<unknown> {
  return port.perform(call)
}

export function forever(): Promise<never> {
  return new Promise(() => {})
}
