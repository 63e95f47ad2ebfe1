import type { Reflex } from '../../app/reflex.ts'
import { type Fault, faultData, isFault, toFault } from '../../kernel/index.ts'
import { serveFaults } from '../../protocol/faults.ts'
import { exchange } from '../../tools/http-exchange.ts'
import type { ServeMetrics } from '../metrics.ts'
import type { Pages } from '../pages.ts'
import type { Subscription } from './config.ts'
import { type Behind, DeliveryMarks } from './delivery-marks.ts'
import { bodyOf, eventsOfRun, type RunEvent, touchedRuns } from './run-events.ts'
import { signedHeaders } from './signature.ts'

/** The most requests of a subscription at once. */
const PARALLEL = 8
/** The first and the longest pause between two attempts in milliseconds. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 3_600_000
/** Milliseconds between two attempts to take the lease, and between two marks of a place without events. */
const LEASE_LOOK_MS = 5000
const ANSWER_BYTES = 4096
/** Milliseconds by which the time of a record may be before that of this process. */
const SLACK_MS = 60_000
/** The most marks of one write. */
const MOST_MARKS = 900

export interface OutboxParts {
  readonly reflex: Reflex
  readonly pages: Pages
  readonly metrics: ServeMetrics
  readonly onTrouble: (fault: Fault) => void
}

/** Thrown when another process has taken the lease. */
class Lost extends Error {}

/**
 * Sends the events of one subscription: each at least once, those of a run in order. One process at a time does it; another one continues
 * when that has died. An event is delivered again under the same id if the process dies before it has marked it.
 */
export class Outbox {
  readonly name: string
  readonly subscription: Subscription
  readonly marks: DeliveryMarks
  readonly #parts: OutboxParts
  readonly #stop = new AbortController()
  /** The end of the last write: writes are made one after the other. */
  #writing: Promise<unknown> = Promise.resolve()
  /** The first new record of each run whose events are being delivered. */
  readonly #more = new Map<string, number>()
  readonly #tasks = new Set<Promise<void>>()
  #free = PARALLEL
  readonly #waiting: (() => void)[] = []
  #done: Promise<void> = Promise.resolve()

  constructor(parts: OutboxParts, name: string, subscription: Subscription) {
    this.#parts = parts
    this.name = name
    this.subscription = subscription
    this.marks = new DeliveryMarks(parts.reflex, name)
  }

  start(): void {
    this.#done = this.#run()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#done
  }

  async #run(): Promise<void> {
    const { onTrouble } = this.#parts
    while (!this.#stop.signal.aborted) {
      const lead = new AbortController()
      const end = (): void => lead.abort()
      this.#stop.signal.addEventListener('abort', end)
      try {
        if (await this.marks.lease()) await this.#deliverAll(lead)
      } catch (thrown) {
        if (!(thrown instanceof Lost)) onTrouble(toDeliveryFault(thrown, `the subscription ${this.name} cannot be served`))
      }
      lead.abort()
      await Promise.allSettled(this.#tasks)
      this.#stop.signal.removeEventListener('abort', end)
      await this.#pause(Math.min(LEASE_LOOK_MS, this.marks.leaseMs / 3), this.#stop.signal)
    }
    await this.marks.release().catch(() => undefined)
  }

  /** Delivers until the signal is aborted or the lease is lost. */
  async #deliverAll(lead: AbortController): Promise<void> {
    const { signal } = lead
    const { reflex, pages } = this.#parts
    const { host } = reflex
    await this.marks.read()
    if (this.marks.cursor === undefined) await this.#write({ cursor: { place: await pages.end(), time: host.now() } })
    for (const run of this.marks.behind.keys()) this.#begin(run, lead)
    const renewing = this.#renew(lead)
    try {
      for await (const page of pages.after(await this.#knownPlace(lead), signal)) {
        const touched = touchedRuns(page, this.subscription)
        const isDue = page.records.length > 0 && host.now() - (this.marks.cursor?.time ?? 0) >= LEASE_LOOK_MS
        if (touched.size > 0 || isDue) await this.#take(touched, page.end, lead)
      }
    } finally {
      lead.abort()
      await renewing
    }
    if (signal.reason instanceof Error) throw signal.reason
  }

  /** Returns the place to continue from. If the store no longer knows it, every run that changed since is read again. */
  async #knownPlace(lead: AbortController): Promise<string> {
    const { reflex, pages } = this.#parts
    const { place = '', time = 0 } = this.marks.cursor ?? {}
    if ((await reflex.store.committed(place, 1)) !== undefined) return place
    const end = await pages.end()
    // The clock of another process may be behind, and its records late.
    const from = Math.max(0, time - SLACK_MS)
    const rows = (await reflex.store.runs({ since: from })).filter(({ id }) => !this.marks.behind.has(id))
    for (let i = 0; i < rows.length; i += MOST_MARKS)
      await this.#write({ runs: new Map(rows.slice(i, i + MOST_MARKS).map(({ id }) => [id, { at: 1, index: 0, from }])) })
    await this.#write({ cursor: { place: end, time } })
    for (const { id } of rows) this.#begin(id, lead)
    return end
  }

  /** Marks runs as behind, together with the place up to which this is known. */
  #take(touched: ReadonlyMap<string, number>, place: string, lead: AbortController): Promise<void> {
    return this.#exclusive(async () => {
      const added = new Map<string, Behind>()
      for (const [run, at] of touched)
        if (this.marks.behind.has(run)) this.#more.set(run, Math.min(at, this.#more.get(run) ?? at))
        else added.set(run, { at, index: 0 })
      if (!(await this.marks.write({ runs: added, cursor: { place, time: this.#parts.reflex.host.now() } }))) throw new Lost()
      for (const run of added.keys()) this.#begin(run, lead)
    })
  }

  /** Renews the lease until the signal is aborted. */
  async #renew(lead: AbortController): Promise<void> {
    for (;;) {
      await this.#pause(this.marks.leaseMs / 3, lead.signal)
      if (lead.signal.aborted) return
      await this.#write({}).catch((thrown: unknown) => lead.abort(thrown))
    }
  }

  #begin(run: string, lead: AbortController): void {
    const task = this.#deliverRun(run, lead.signal).catch((thrown: unknown) => lead.abort(thrown))
    this.#tasks.add(task)
    void task.finally(() => {
      this.#tasks.delete(task)
    })
  }

  /** Delivers the events of a run in order until there are none left. */
  async #deliverRun(run: string, signal: AbortSignal): Promise<void> {
    const { reflex } = this.#parts
    for (let isBehind = true; isBehind && !signal.aborted; ) {
      this.#more.delete(run)
      const { at = 1, index = 0, from = 0 } = this.marks.behind.get(run) ?? {}
      let last = at
      try {
        for await (const event of eventsOfRun(reflex, run, at, this.subscription.events)) {
          last = event.at
          if ((event.at === at && event.index < index) || event.time < from) continue
          await this.#deliver(run, event, signal)
          if (signal.aborted) return
        }
      } catch (thrown) {
        if (thrown instanceof Lost) throw thrown
        // A run that was removed or cannot be read has no events any more.
        this.#parts.onTrouble(toDeliveryFault(thrown, `the events of ${run} cannot be read`))
      }
      isBehind = await this.#exclusive(async () => {
        const more = this.#more.get(run)
        const next = more === undefined ? undefined : { ...(this.marks.behind.get(run) ?? { at: last, index: 0 }) }
        if (!(await this.marks.write({ runs: new Map([[run, next]]) }))) throw new Lost()
        return more !== undefined
      })
    }
  }

  /** Sends an event until it is accepted, given up, or the signal is aborted, and marks it. */
  async #deliver(run: string, event: RunEvent, signal: AbortSignal): Promise<void> {
    const { reflex, metrics } = this.#parts
    const { host } = reflex
    const id = `${run}@${event.at}.${event.index}`
    const known = this.marks.behind.get(run)
    const isStarted = known?.at === event.at && known.index === event.index
    let tries = isStarted ? (known.tries ?? 0) : 0
    const since = (isStarted ? known.since : undefined) ?? host.now()
    if (isStarted && known.next !== undefined) await this.#pause(known.next - host.now(), signal)
    while (!signal.aborted) {
      const failure = await this.#attempt(id, event, signal)
      if (signal.aborted) return
      const { status } = this.marks
      const time = host.now()
      const isOver = failure !== undefined && time - since >= this.subscription.giveUp
      metrics.deliveries.add(1, { subscription: this.name, result: failure === undefined ? 'delivered' : isOver ? 'given up' : 'failed' })
      if (failure === undefined || isOver) {
        const counted =
          failure === undefined
            ? { delivered: status.delivered + 1, last: { id, time } }
            : { givenUp: status.givenUp + 1, failure: { id, time, error: faultData(failure) } }
        const done = { at: event.at, index: event.index + 1, ...(known?.from === undefined ? {} : { from: known.from }) }
        return this.#write({ runs: new Map([[run, done]]), status: { ...status, ...counted } })
      }
      tries++
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries - 1, 20))
      // Between a half and the whole of the pause, so that many deliveries do not come back at the same time.
      const jittered = pause * (0.5 + Number.parseInt(host.entropy().slice(0, 8), 16) / 2 ** 33)
      const wait = { ...known, at: event.at, index: event.index, tries, since, next: Math.ceil(time + jittered) }
      await this.#write({ runs: new Map([[run, wait]]), status: { ...status, failure: { id, time, error: faultData(failure) } } })
      await this.#pause(jittered, signal)
    }
  }

  /** Sends an event once. Returns the failure. */
  async #attempt(id: string, event: RunEvent, signal: AbortSignal): Promise<Fault | undefined> {
    const { reflex } = this.#parts
    const { url, secret, timeout, private: isPrivate } = this.subscription
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve))
    try {
      const body = bodyOf(event)
      const headers = { 'content-type': 'application/json', ...signedHeaders(secret, id, reflex.host.now(), body) }
      const request = { url: new URL(url), method: 'POST', headers, body, timeout, limit: ANSWER_BYTES }
      const { status } = await exchange(request, reflex.host, { signal, allows: () => isPrivate, denies: () => false })
      if (status >= 200 && status < 300) return undefined
      return serveFaults.make('R6059', `the receiver of ${this.name} answered with status ${status}`)
    } catch (thrown) {
      return toDeliveryFault(thrown, `the receiver of ${this.name} did not accept the delivery`)
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }

  async #write(marks: Parameters<DeliveryMarks['write']>[0]): Promise<void> {
    await this.#exclusive(async () => {
      if (!(await this.marks.write(marks))) throw new Lost()
    })
  }

  #exclusive<Result>(act: () => Promise<Result>): Promise<Result> {
    const result = this.#writing.then(act)
    this.#writing = result.catch(() => undefined)
    return result
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    const { host } = this.#parts.reflex
    if (signal.aborted || ms <= 0) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = host.at(host.now() + ms, () => done(), true)
      const done = (): void => {
        cancel()
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done)
    })
  }
}

function toDeliveryFault(thrown: unknown, what: string): Fault {
  if (isFault(thrown)) return thrown
  return toFault(thrown, (message, cause) => serveFaults.make('R6059', `${what}: ${message}`, { cause }))
}
