import type { Arrival } from './arrival.ts'
import { answerInput } from '../journal/answer.ts'
import { cancelInput } from '../journal/cancellation.ts'
import { Backlog, type BacklogMessage } from './backlog.ts'
import { type DirectInbox, DirectMessages, type DirectRun } from './direct-messages.ts'
import type { Frame, Wait } from '../state/frame.ts'
import type { Input, TakenMessage } from '../journal/record.ts'
import type { State } from '../state/state.ts'
import type { MessageSource } from './message-source.ts'
import { roomFor } from './message-room.ts'
import { takesTopic, topicIn } from '../journal/topics.ts'
import type { Awaitable, InboxLimit, InboxMessage, Message } from '../ports/store.ts'

/** A run as its inbox sees it. */
export interface InboxOwner extends DirectRun {
  readonly state: State
  /** The record that is being made takes this message. */
  take(row: number): void
  /** Ends the waits that were due by then. Returns false if there are none. */
  ring(until: number): boolean
  /** The time of the earliest wait that is due by now, else Infinity. */
  readonly nextDue: number
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
 * Delivers messages from outside to the waits of a run. Each message is read once, by a cursor. A message that no wait takes stays in
 * the backlog, and in the store.
 */
export class Inbox implements DirectInbox {
  readonly #run: InboxOwner
  readonly #source: MessageSource
  readonly #backlog = new Backlog()
  readonly #direct: DirectMessages
  /** Messages on their way to the store. */
  #posting = 0
  /** Every message up to this row has been read. */
  #cursor = 0
  #hasRead = false
  #reading = 0
  /** The backlog has a message for the run, whose arrival is on its way. */
  #isOffered = false
  /** The arrival has had its turn; else the run was closed before. */
  #isAsked = false
  /** The messages of the arrival, in their order. */
  #chosen: readonly InboxMessage[] = []
  /** The most messages that a wait gets at once after its step has left some of them. */
  readonly #room = new WeakMap<Wait, number>()
  #onDrained: (() => void) | undefined
  /** The only arrival of messages. It chooses its message when it is taken, so messages keep their order while waits open and close. */
  readonly #arrival: Arrival = {
    resolve: () => this.#resolve(),
    hold: () => this.#hold(),
    onTaken: (_, input) => this.#onTaken(input),
    onRefused: () => this.#onRefused(),
  }

  constructor(run: InboxOwner, source: MessageSource) {
    this.#run = run
    this.#source = source
    this.#direct = new DirectMessages(run, this)
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
      if (this.#reading === 0) this.#direct.onRead()
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

  /**
   * Puts a message before the run: straight to a wait that takes it now, else into the store. False if one of this id was there before,
   * or if the limit dropped it. `isNew`: no other message can have its id.
   */
  async post(message: Message, isNew: boolean, limit?: InboxLimit): Promise<boolean> {
    if (this.#canTakeNow(message.to) && (limit === undefined || limit.most >= 1)) {
      const sent = await this.#direct.send(message, isNew)
      if (sent !== undefined) return sent
    }
    this.#posting++
    try {
      const posted = await this.#source.post(this.#run.id, message, limit)
      await this.pull()
      return posted
    } finally {
      this.#posting--
    }
  }

  /** Returns the number of messages of a topic that this process has read, and of all that it is sending, that no record has taken. */
  waiting(topic: string): number {
    return this.#backlog.count(topic) + this.#posting + this.#direct.sending
  }

  /** No message of the topic that came before is still to be taken. */
  #canTakeNow(topic: string): boolean {
    if (this.#source.posted === undefined || !this.#hasRead || this.reading || this.#posting > 0) return false
    if (this.#isOffered || !this.#direct.canFollow(topic) || this.#backlog.has(topic)) return false
    return waitFor(this.#run.state, 'message', topic) !== undefined
  }

  posted(run: string, id: string): Awaitable<boolean> {
    return this.#source.posted?.(run, id) ?? false
  }

  inputOf(...messages: readonly Message[]): readonly [Frame, Input] | undefined {
    const { state } = this.#run
    const [first] = messages
    if (first === undefined) return undefined
    if (first.type === 'cancel') return [state.root, cancelInput(first.body, first.by)]
    const wait = state.ended === undefined ? waitFor(state, first.type, first.to) : undefined
    if (wait === undefined) return undefined
    return [wait.frame, wait.rules?.most === undefined ? inputFor(wait, first) : ['messages', wait.id, messages.map(takenMessage)]]
  }

  giveBack(row: InboxMessage): void {
    this.#backlog.giveBack([row])
    this.#offer()
  }

  holdTopic(topic: string): void {
    this.#backlog.hold(topic)
  }

  freeTopic(topic: string): void {
    this.#backlog.free(topic)
    this.#offer()
  }

  #deliver(rows: readonly InboxMessage[]): void {
    for (const message of rows) {
      // Two reads at the same time show the same messages.
      if (message.row <= this.#cursor) continue
      this.#cursor = message.row
      if (message.fault === undefined) this.#addUnlessKept(message)
      else void this.#busyWith(() => this.#run.refuse(message))
    }
    this.#offer()
  }

  #addUnlessKept(message: InboxMessage): void {
    if (message.type !== 'message' || !this.#direct.keepsBack(message)) this.#backlog.add(message)
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
    this.#chosen = []
    if (next === undefined) return undefined
    const { message } = next
    if (!next.isRung) {
      next.isRung = true
      // Timers that were due when the message came are before it.
      if (this.#run.ring(message.at)) return undefined
    }
    this.#backlog.remove(next)
    this.#chosen = [message, ...this.#othersFor(message)]
    const input = this.inputOf(...this.#chosen)
    // An answer to a question that is not open.
    if (input === undefined) void this.#busyWith(() => this.#run.refuse(message))
    return input
  }

  /** Removes and returns the messages after the first that its wait takes with it: up to an answer, a cancellation or a due time. */
  #othersFor(first: InboxMessage): InboxMessage[] {
    const { state, nextDue } = this.#run
    const wait = first.type === 'message' ? waitFor(state, first.type, first.to) : undefined
    if (wait?.rules?.most === undefined) return []
    const addresses = [wait.name, topicIn(wait.frame.id, wait.name)].filter((to) => waitFor(state, 'message', to) === wait)
    const others: InboxMessage[] = []
    const hasRoom = roomFor(wait.rules, this.#mostFor(wait))
    hasRoom(first)
    while (true) {
      const next = this.#backlog.nextTo(addresses)
      if (next === undefined || next.message.at >= nextDue || !hasRoom(next.message)) break
      this.#backlog.remove(next)
      others.push(next.message)
    }
    return others
  }

  #mostFor(wait: Wait): number {
    const { most = 1 } = wait.rules ?? {}
    return Math.min(most, this.#room.get(wait) ?? most)
  }

  takesMany(topic: string): boolean {
    return waitFor(this.#run.state, 'message', topic)?.rules?.most !== undefined
  }

  firstFor(messages: Iterable<Message>): readonly Message[] {
    const found: Message[] = []
    let hasRoom: ((message: Message) => boolean) | undefined
    for (const message of messages) {
      hasRoom ??= this.#roomOf(message)
      if (!hasRoom(message)) break
      found.push(message)
    }
    return found
  }

  /** Returns the room of the input that takes this message first: for this message alone if its wait takes one at a time. */
  #roomOf({ type, to }: Message): (message: Message) => boolean {
    const wait = waitFor(this.#run.state, type, to)
    return roomFor(wait?.rules ?? {}, wait?.rules?.most === undefined ? 1 : this.#mostFor(wait))
  }

  onListTaken(input: Input | undefined, offered: number): number {
    if (input?.[0] !== 'messages') return 1
    const [, id, { length: count }] = input
    const wait = this.#run.state.waits.get(id)
    // A step that leaves most of its messages would get, and redact, the same ones again and again.
    if (wait !== undefined) this.#room.set(wait, count < offered ? 2 * count : 2 * (this.#room.get(wait) ?? Infinity))
    return count
  }

  /** The messages are held by themselves, so that others go on. */
  #hold(): Arrival | undefined {
    const messages = this.#chosen
    if (messages.length === 0) return undefined
    const topics = new Set(messages.map(({ to }) => to))
    const free = () => topics.forEach((to) => this.freeTopic(to))
    topics.forEach((to) => this.holdTopic(to))
    this.#offerAgain()
    return {
      resolve: () => this.inputOf(...messages),
      onTaken: (_, input) => {
        this.#take(messages, input)
        free()
      },
      onRefused: () => {
        this.#backlog.giveBack(messages)
        free()
      },
    }
  }

  #onTaken(input: Input | undefined): void {
    this.#take(this.#chosen, input)
    this.#offerAgain()
  }

  /** Takes the messages that the record has, and puts those back that its step has left. */
  #take(messages: readonly InboxMessage[], input: Input | undefined): void {
    const count = this.onListTaken(input, messages.length)
    for (const message of messages.slice(0, count)) {
      this.#run.take(message.row)
      this.#source.taken?.(message)
    }
    this.#backlog.giveBack(messages.slice(count), false)
  }

  #onRefused(): void {
    if (this.#isAsked) this.#offerAgain()
  }

  #offerAgain(): void {
    this.#chosen = []
    this.#isAsked = false
    this.#isOffered = false
    this.#offer()
  }
}

function waitFor(state: State, type: Message['type'], to: string): Wait | undefined {
  for (const wait of state.waits.values()) {
    if (wait.type !== type) continue
    if (type === 'answer' ? to === String(wait.id) : takesTopic({ name: wait.name, frame: wait.frame.id }, to)) return wait
  }
  return undefined
}

function inputFor(wait: Wait, message: Message): Input {
  const { type, body, id, by } = message
  if (type !== 'message') return answerInput(wait.id, body, message)
  return by === undefined ? ['message', wait.id, body, id] : ['message', wait.id, body, id, by]
}

function takenMessage({ id, body, by }: Message): TakenMessage {
  return by === undefined ? [id, body] : [id, body, by]
}
