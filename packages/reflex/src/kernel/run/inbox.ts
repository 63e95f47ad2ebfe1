import type { Arrival } from './arrival.ts'
import { cancelInput } from '../journal/cancellation.ts'
import { Backlog, type BacklogMessage } from './backlog.ts'
import { checkRoom } from '../ports/inbox-limit.ts'
import type { Frame, Wait } from '../state/frame.ts'
import type { Input } from '../journal/record.ts'
import type { State } from '../state/state.ts'
import type { Awaitable, InboxLimit, InboxMessage, Message } from '../ports/store.ts'

/** Where messages wait until something takes them: a store's inbox, or one in memory for runs without a store. */
export interface MessageSource {
  post(run: string, message: Message, limit?: InboxLimit): Awaitable<boolean>
  inbox(run: string, after: number, limit: number): Awaitable<readonly InboxMessage[]>
  /** Where messages are not taken by a commit: a record has taken this one. */
  taken?(message: InboxMessage): void
}

/** A run as its inbox sees it. */
export interface InboxOwner {
  readonly id: string
  readonly state: State
  arrive(arrival: Arrival): void
  /** The record that is being made takes this message. */
  take(row: number): void
  /** Meets the waits that were due by then. Returns false if there are none. */
  ring(until: number): boolean
  /** Lets the event loop turn. */
  turn(): Promise<void>
  /** Puts on record that a message came too late, or is damaged. */
  refuse(message: InboxMessage): Promise<void>
  onRested(): void
  onInboxFailed(thrown: unknown): void
}

/** Messages that are read at once. */
const PAGE = 256

/**
 * Brings what was told to a run from outside to the waits that it is for. Each message is read once, by a cursor. One that no wait
 * takes stays in the backlog, and in the store.
 */
export class Inbox {
  readonly #run: InboxOwner
  readonly #source: MessageSource
  readonly #backlog = new Backlog()
  /** Every message up to this row has been read. */
  #cursor = 0
  #hasRead = false
  #reading = 0
  /** The backlog has a message for the run, whose arrival is on its way. */
  #isOffered = false
  /** The arrival has had its turn; else the run was closed before. */
  #isAsked = false
  #chosen: BacklogMessage | undefined
  #onDrained: (() => void) | undefined
  /** One arrival at a time, which chooses its message when its turn comes: so messages keep their order, whatever waits open meanwhile. */
  readonly #arrival: Arrival = {
    resolve: () => this.#resolve(),
    onTaken: () => this.#onTaken(),
    onRefused: () => this.#onRefused(),
  }

  constructor(run: InboxOwner, source: MessageSource) {
    this.#run = run
    this.#source = source
  }

  /** A list has been asked for, or the reason of a refusal, and is not here yet: the run is not at rest. */
  get reading(): boolean {
    return this.#reading > 0
  }

  /** Reads what is new in the inbox, and takes what can be taken: answers, messages that something waits for, cancellations. */
  async pull(): Promise<void> {
    this.#hasRead = true
    const rows = this.#nextPage()
    if (!(rows instanceof Promise)) {
      this.#deliver(rows)
      if (rows.length < PAGE) return
    }
    await this.#busyWith(() => this.#pullFrom(rows))
  }

  async #pullFrom(rows: Awaitable<readonly InboxMessage[]>): Promise<void> {
    for (let page = await rows; ; page = await this.#nextPage()) {
      this.#deliver(page)
      if (page.length < PAGE) return
      await this.#run.turn()
    }
  }

  #nextPage(): Awaitable<readonly InboxMessage[]> {
    return this.#source.inbox(this.#run.id, this.#cursor, PAGE)
  }

  async #busyWith(act: () => Promise<void>): Promise<void> {
    this.#reading++
    try {
      await act()
    } finally {
      this.#reading--
      this.#run.onRested()
    }
  }

  /** A wait for a message has been opened. */
  onWaitOpened(): void {
    if (this.#hasRead) this.#offer()
    else this.pull().catch((thrown: unknown) => this.#run.onInboxFailed(thrown))
  }

  /** Calls back once the run has taken what it can take of the backlog. */
  whenDrained(callback: () => void): void {
    if (this.#isOffered) this.#onDrained = callback
    else callback()
  }

  /** Puts a message before the run. False if one of this id was there before, or if the limit dropped it. */
  async post(message: Message, limit?: InboxLimit): Promise<boolean> {
    const isNew = await this.#source.post(this.#run.id, message, limit)
    await this.pull()
    return isNew
  }

  #deliver(rows: readonly InboxMessage[]): void {
    for (const message of rows) {
      // Two reads at the same time show the same messages.
      if (message.row <= this.#cursor) continue
      this.#cursor = message.row
      if (message.fault === undefined) this.#backlog.add(message)
      else void this.#busyWith(() => this.#run.refuse(message))
    }
    this.#offer()
  }

  #next(): BacklogMessage | undefined {
    const { state } = this.#run
    return state.ended === undefined ? this.#backlog.next(state.waits.values()) : undefined
  }

  #offer(): void {
    if (this.#isOffered) return
    this.#isOffered = this.#next() !== undefined
    if (this.#isOffered) return this.#run.arrive(this.#arrival)
    const drained = this.#onDrained
    this.#onDrained = undefined
    drained?.()
  }

  #resolve(): readonly [Frame, Input] | undefined {
    const next = this.#next()
    this.#isAsked = true
    this.#chosen = next
    if (next === undefined) return undefined
    const { message } = next
    if (!next.isRung) {
      next.isRung = true
      // What was due when the message came is before it.
      if (this.#run.ring(message.at)) return undefined
    }
    this.#backlog.remove(next)
    const { state } = this.#run
    if (message.type === 'cancel') return [state.root, cancelInput(message.body, message.by)]
    const wait = waitFor(state, message)
    if (wait !== undefined) return [wait.frame, inputFor(wait, message)]
    // An answer to a question that is not open.
    void this.#busyWith(() => this.#run.refuse(message))
    return undefined
  }

  #onTaken(): void {
    if (this.#chosen === undefined) return
    const { message } = this.#chosen
    this.#run.take(message.row)
    this.#source.taken?.(message)
    this.#offerAgain()
  }

  #onRefused(): void {
    if (this.#isAsked) this.#offerAgain()
  }

  #offerAgain(): void {
    this.#chosen = undefined
    this.#isAsked = false
    this.#isOffered = false
    this.#offer()
  }
}

function waitFor(state: State, { type, to }: InboxMessage): Wait | undefined {
  for (const wait of state.waits.values()) if (wait.type === type && to === (type === 'answer' ? String(wait.id) : wait.name)) return wait
  return undefined
}

function inputFor(wait: Wait, { type, body, by, id }: InboxMessage): Input {
  if (type === 'message') return ['message', wait.id, body, id]
  return by === undefined ? ['answer', wait.id, body] : ['answer', wait.id, body, by]
}

/** The inbox of a run without a store, with the rules of every store's. What was read stays with the run. */
export function localInbox(): MessageSource {
  const ids = new Set<string>()
  const unread: InboxMessage[] = []
  const waiting = new Map<string, number>()
  const count = ({ to }: Message, more: number) => void waiting.set(to, (waiting.get(to) ?? 0) + more)
  return {
    post(run, message, limit) {
      if (ids.has(message.id) || !checkRoom(run, message, limit, () => waiting.get(message.to) ?? 0)) return false
      ids.add(message.id)
      unread.push({ ...message, row: ids.size })
      count(message, 1)
      return true
    },
    inbox: (_run, _after, limit) => unread.splice(0, limit),
    taken: (message) => count(message, -1),
  }
}
