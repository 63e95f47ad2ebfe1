import { closedWaitText } from '../state/closed-waits.ts'
import type { Definitions } from '../step/decide.ts'
import { type Fault, isFault, toFault } from '../journal/fault.ts'
import { faults } from '../journal/faults.ts'
import type { Follower, Followers } from './followers.ts'
import type { Host } from '../ports/host.ts'
import { copyJson, equalJson, isObject, type Json } from '../journal/json.ts'
import { Journals, noRun } from './journals.ts'
import type { OpenRun } from './open-run.ts'
import type { Programs } from '../step/programs.ts'
import { readRecords } from './read-records.ts'
import type { Rec, Ref } from '../journal/record.ts'
import type { Redactor } from '../journal/redact.ts'
import type { IdleOptions, MessageOptions } from './run-options.ts'
import type { RunFacts } from '../ports/settings.ts'
import type { State } from '../state/state.ts'
import type { Message, RunRow, RunStatus, Store } from '../ports/store.ts'
import type { Change } from '../state/story.ts'
import { takesTopic, topicIn } from '../journal/topics.ts'
import { type RestListener, type Subscriber, Watchers } from './watchers.ts'

/** The parts of its runtime that a followed run needs. */
export interface FollowWorld {
  readonly store: Store
  readonly programs: Programs
  readonly host: Host
  readonly followers: Followers
  readonly redact: Redactor | undefined
}

/** A run as it is when it begins to be followed. */
export interface FollowParts<S extends RunFacts> {
  readonly id: string
  readonly settings: S
  readonly state: State
  readonly definitions: Definitions
}

interface Waiter {
  /** Throws the fault because of which what is waited for never comes. */
  readonly isMet: () => boolean
  /** True if the end of following is as good. */
  readonly endsQuietly: boolean
  resolve(): void
  reject(thrown: unknown): void
}

/**
 * A run that other processes carry on, with the face of a `Run`: it shows each record once it is durable, and sends answers, messages and
 * cancellations through the inbox of the run. A call that waits for a record resolves when the process that holds the run has made it. A
 * store that is away is asked again. Commands of the host cannot be sent: `R5001`.
 */
export class FollowedRun<S extends RunFacts = RunFacts> implements OpenRun<S>, Follower {
  readonly id: string
  readonly state: State
  readonly settings: S
  readonly definitions: Definitions
  readonly isLost = false
  readonly #world: FollowWorld
  readonly #journals: Journals
  readonly #watchers = new Watchers(() => undefined)
  readonly #waiters = new Set<Waiter>()
  /** The records of the last look, for those that wait for one of them. */
  #news: (readonly [n: number, record: Rec])[] = []
  #row: RunRow | undefined
  /** True if a message lies in the inbox that the run will take. */
  #hasMail = false
  #looking: Promise<void> | undefined
  #isOutdated = false
  #end: Fault | 'closed' | undefined

  constructor(world: FollowWorld, { id, settings, state, definitions }: FollowParts<S>) {
    this.#world = world
    this.id = id
    this.settings = settings
    this.state = state
    this.definitions = definitions
    this.#journals = new Journals(world.store, world.programs)
    world.followers.add(this)
  }

  get durable(): number {
    return this.state.n
  }

  get status(): RunStatus {
    return this.#hasMail ? 'running' : (this.#row?.status ?? 'running')
  }

  /** True if the run does nothing until a time comes or an input arrives, as far as the store tells. */
  get atRest(): boolean {
    return this.status !== 'running'
  }

  get isAwaited(): boolean {
    return this.#waiters.size > 0
  }

  get isBehind(): boolean {
    return this.#isOutdated
  }

  observe(observer: (change: Change) => void): () => void {
    return this.#watchers.observe(observer)
  }

  subscribe(subscriber: Subscriber, atRest?: RestListener): () => void {
    return this.#watchers.subscribe(subscriber, atRest)
  }

  // Waiting

  /** As `Run.idle`. Rejects with the fault because of which the run cannot be read. */
  async idle({ until = 'rest', ahead = 0 }: IdleOptions = {}): Promise<void> {
    await this.look()
    return this.#waitFor(() => {
      if (this.state.ended !== undefined) return true
      if (until === 'end' || !this.atRest) return false
      if (until === 'rest' && ahead === 0) return true
      const waits = [...this.state.waits.values()]
      if (until === 'people' && waits.some(({ type }) => type === 'answer')) return true
      const due = Math.min(...waits.map((wait) => wait.due ?? Number.POSITIVE_INFINITY))
      return until === 'people' ? due === Number.POSITIVE_INFINITY : due > this.#world.host.now() + ahead
    }, true)
  }

  async hasNextRecord(): Promise<boolean> {
    const { n } = this.state
    if (this.state.ended !== undefined) return false
    return this.#waitFor(() => this.state.n > n, false).then(
      () => true,
      () => false,
    )
  }

  /** As `idle`: the process that holds the run drains it. */
  drain(): Promise<void> {
    return this.idle()
  }

  #waitFor(isMet: Waiter['isMet'], endsQuietly: boolean): Promise<void> {
    const waiting = new Promise<void>((resolve, reject) => void this.#waiters.add({ isMet, endsQuietly, resolve, reject }))
    this.#wake()
    this.#world.followers.arm()
    return waiting
  }

  #wake(): void {
    for (const waiter of this.#waiters) {
      try {
        const isMet = waiter.isMet()
        if (!isMet && this.#end === undefined) continue
        if (isMet || (this.#end === 'closed' && waiter.endsQuietly)) waiter.resolve()
        else waiter.reject(this.#endFault())
      } catch (thrown) {
        waiter.reject(thrown)
      }
      this.#waiters.delete(waiter)
    }
  }

  #endFault(): Fault {
    return this.#end === undefined || this.#end === 'closed'
      ? faults.make('R2017', `${this.id} is closed in this process`, { run: this.id })
      : this.#end
  }

  // Sending

  /** As `Run.answer`: resolves with the number of the record when the process that holds the run has taken the answer. */
  async answer(wait: Ref, value: unknown, by?: string, reason?: string): Promise<number> {
    const to = String(wait)
    const body = this.#redacted(copyJson(value, 'answer'))
    const why = reason === undefined ? {} : { by: by ?? 'somebody', reason: this.#redacted(reason) }
    const id = `${to}:${this.#world.host.entropy()}`
    return this.#send({ id, type: 'answer', to, body, ...(by === undefined ? {} : { by }), ...why }, ([n, { input }]) => {
      if (input?.[0] !== 'answer' || String(input[1]) !== to) return false
      if (equalJson(input[2], body)) return true
      const closed = { record: n, answer: { value: input[2], ...(input[3] === undefined ? {} : { by: input[3] }) } }
      throw faults.make('R2002', `${this.id} has no open question ${to}${closedWaitText(closed)}`, { run: this.id, path: to })
    })
  }

  /** As `Run.message`: resolves when the inbox has the message. */
  async message(topic: string, body: unknown, options: MessageOptions = {}): Promise<boolean> {
    if (this.#end !== undefined) throw this.#endFault()
    const { store, host } = this.#world
    const { id = host.entropy(), by, frame, limit } = options
    const to = frame === undefined ? topic : topicIn(frame, topic)
    const message: Message = { id, type: 'message', to, body: this.#redacted(copyJson(body, 'message')), at: host.now() }
    const isNew = await store.post(this.id, { ...message, ...(by === undefined ? {} : { by }) }, limit)
    await this.look()
    return isNew
  }

  /** As `Run.cancel`, once the process that holds the run has taken the request. */
  cancel(reason = 'cancelled', by?: string): Promise<number> {
    const message = { id: this.#world.host.entropy(), type: 'cancel', to: '', body: this.#redacted(reason) } as const
    const isCancelled = ([, { input }]: readonly [number, Rec]): boolean => input?.[0] === 'kernel' && input[1] === 'cancel'
    return this.#send({ ...message, ...(by === undefined ? {} : { by }) }, isCancelled)
  }

  /** Rejects with `R5001`: a run takes commands only from the process that holds it. */
  command(): Promise<number> {
    const fix =
      'send a message to a topic that the run waits for, answer its question, or cancel it: these reach the process that carries it on'
    return Promise.reject(
      faults.make('R5001', `another process carries ${this.id} on, and only that one can command it`, { run: this.id, fix }),
    )
  }

  /** Posts a message, and resolves with the number of the record that took it. */
  async #send(message: Omit<Message, 'at'>, takes: (taken: readonly [n: number, record: Rec]) => boolean): Promise<number> {
    if (this.#end !== undefined) throw this.#endFault()
    const { store, host } = this.#world
    await this.look()
    let record: number | undefined
    const since = this.state.n
    await store.post(this.id, { ...message, at: host.now() })
    const taken = this.#waitFor(() => {
      for (const [n, { input }] of this.#news)
        if (n > since && input?.[0] === 'kernel' && input[1] === 'refused' && isObject(input[2]) && input[2].id === message.id)
          throw faults.make('R2002', `${this.id} has no open question ${message.to}`, { run: this.id, path: message.to })
      record ??= this.#news.find(([n, made]) => n > since && takes([n, made]))?.[0]
      if (record === undefined && this.state.ended !== undefined) throw faults.make('R2001', `${this.id} has ended`, { run: this.id })
      return record !== undefined
    }, false)
    await Promise.all([taken, this.look()])
    return record ?? this.state.n
  }

  #redacted<Value extends Json>(value: Value): Value {
    const { redact } = this.#world
    return redact === undefined ? value : (redact(value) as Value)
  }

  // Reading

  /** As `look`: the process that holds the run reads its inbox. */
  pull(): Promise<void> {
    return this.look()
  }

  /** Reads what became durable since the last look, and shows it. */
  look(): Promise<void> {
    this.#isOutdated = true
    this.#looking ??= this.#lookWhileOutdated().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #lookWhileOutdated(): Promise<void> {
    while (this.#isOutdated && this.#end === undefined) {
      this.#isOutdated = false
      try {
        await this.#read()
      } catch (thrown) {
        this.#isOutdated = true
        if (isFault(thrown) && (thrown.verdict === 'wait' || thrown.verdict === 'retry')) return
        return this.#finish(toFault(thrown, (message, cause) => faults.make('R5005', `${this.id} cannot be read: ${message}`, { cause })))
      }
      this.#wake()
      if (this.state.ended !== undefined) this.#world.followers.delete(this)
    }
  }

  /** The inbox is read before the row: a message that is taken in between changes the row. */
  async #read(): Promise<void> {
    const { store } = this.#world
    const inbox = await store.inbox(this.id)
    const row = (await store.read(this.id, 0))?.row
    if (row === undefined) throw noRun(this.id)
    const first = this.state.n + 1
    const records: Rec[] = []
    if (row.last >= first) for await (const [, record] of readRecords(store, this.id, first, row.last)) records.push(record)
    const pins = records.flatMap(({ more }) => [...(more?.start?.pins ?? []), ...(more?.pin ?? [])])
    await this.#journals.loadPrograms(pins, this.id)
    for (const record of records) this.#apply(record)
    this.#news = records.map((record, i) => [first + i, record])
    this.#row = row
    const isOpen = row.status === 'running' || row.status === 'suspended'
    this.#hasMail = isOpen && inbox.some((message) => this.#willTake(message))
    this.#watchers.publish(first, records)
    if (this.atRest) this.#watchers.notifyRest(this.state.n)
  }

  /** True if the run will take a message from its inbox. */
  #willTake({ type, to }: Pick<Message, 'type' | 'to'>): boolean {
    if (type !== 'message') return true
    return [...this.state.waits.values()].some(
      (wait) => wait.type === 'message' && takesTopic({ name: wait.name, frame: wait.frame.id }, to),
    )
  }

  #apply(record: Rec): void {
    const { state } = this
    const known = state.frames.get(record.frame)
    const before = known?.position
    state.apply(record)
    // Dropped effects matter only to the process that performs them.
    state.droppedEffects.length = 0
    const frame = known ?? state.root
    if (this.#watchers.hasObservers)
      this.#watchers.show({ n: state.n, at: state.time, record, state, frame, def: this.definitions.program(frame.pin).def, before })
  }

  /** Does nothing: no effect of the run is performed by this process. */
  block(): void {}

  /** Returns false: nothing is blocked here. */
  release(): boolean {
    return false
  }

  // Ending

  /** Stops following. The run goes on elsewhere. */
  close(): void {
    this.#finish('closed')
  }

  async leave(): Promise<void> {
    this.#finish('closed')
    await this.#watchers.allDone()
  }

  #finish(reason: Fault | 'closed'): void {
    if (this.#end !== undefined) return
    this.#end = reason
    this.#world.followers.delete(this)
    this.#wake()
  }
}
