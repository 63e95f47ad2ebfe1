import type { Arrival } from './arrival.ts'
import type { Input } from '../journal/record.ts'
import type { Awaitable, InboxMessage, Message } from '../ports/store.ts'

/** A run as its direct messages see it. */
export interface DirectRun {
  readonly id: string
  arrive(arrival: Arrival): void
  ring(until: number): boolean
  /** The record that is being made takes this message, which is not in the inbox. */
  addDelivered(message: Message): void
  untilDurable(record: number): Promise<void>
  /** Another process has the run, and no commit of this process is under way that it may not have seen. */
  readonly isRefused: boolean
  readonly isLost: boolean
}

/** The parts of the inbox that messages of this process need. */
export interface DirectInbox {
  posted(run: string, id: string): Awaitable<boolean>
  inputOf(...messages: readonly Message[]): ReturnType<Arrival['resolve']>
  /** True if the wait that takes messages of this topic takes several at once. */
  takesMany(topic: string): boolean
  /** Returns the first messages that one input takes. Reads the list up to the first message that it does not take. */
  firstFor(messages: Iterable<Message>): readonly Message[]
  /** Returns the number of messages that a record has taken of those that its step was offered. */
  onListTaken(input: Input | undefined, offered: number): number
  /** A list that was asked for before a commit may show what the commit took. */
  readonly reading: boolean
  /** The message is held: no other of its topic overtakes it until it is free. */
  holdTopic(topic: string): void
  freeTopic(topic: string): void
  /** A row that was kept back is a message like others. */
  giveBack(row: InboxMessage): void
}

interface Sent {
  readonly message: Message
  readonly isNew: boolean
  readonly settle: (isSent: boolean | undefined) => void
  readonly reject: (thrown: Error) => void
}

/**
 * Messages of the process that holds the run, which go straight to an open wait: the record is the receipt, and the inbox knows
 * them from the commit of that record on. A row of the inbox with the id of one on its way is the same message, and kept back.
 */
export class DirectMessages {
  readonly #run: DirectRun
  readonly #inbox: DirectInbox
  /** Ids on their way, and in records that are not durable, with the row of that id. */
  readonly #rows = new Map<string, InboxMessage | undefined>()
  readonly #sent = new Map<string, Promise<boolean | undefined>>()
  /** Ids that a list may still show. */
  readonly #done: string[] = []
  #sending = 0
  /** Messages of one topic, which go to their wait at the end of this moment. */
  readonly #gathered: Sent[] = []

  constructor(run: DirectRun, inbox: DirectInbox) {
    this.#run = run
    this.#inbox = inbox
  }

  /** The number of messages on their way. */
  get sending(): number {
    return this.#sending
  }

  /** True if no message is on its way that one of this topic would overtake. */
  canFollow(topic: string): boolean {
    return this.#sending === 0 || (this.#sending === this.#gathered.length && this.#gathered[0]?.message.to === topic)
  }

  keepsBack(row: InboxMessage): boolean {
    if (!this.#rows.has(row.id)) return false
    this.#rows.set(row.id, row)
    return true
  }

  /** Lists that were asked for are here. */
  onRead(): void {
    for (const id of this.#done.splice(0)) this.#rows.delete(id)
  }

  /**
   * Sends a message to an open wait. Resolves with false if one of its id was there before, with true once the record that took it
   * is durable, and with undefined if no wait takes it any more. `isNew`: no other message can have its id.
   */
  send(message: Message, isNew: boolean): Promise<boolean | undefined> {
    const { id } = message
    if (isNew) return this.#take(message, isNew)
    const other = this.#sent.get(id)
    // It was there before if the other one arrives.
    if (other !== undefined) return other.then((sent) => (sent === undefined ? undefined : false))
    if (this.#rows.has(id)) return Promise.resolve(false)
    const known = this.#inbox.posted(this.#run.id, id)
    this.#rows.set(id, undefined)
    if (known === true) return Promise.resolve(this.#giveUp(id, false))
    const sent = known instanceof Promise ? this.#sendUnless(known, message) : this.#take(message, isNew)
    this.#sent.set(id, sent)
    const forget = () => void this.#sent.delete(id)
    sent.then(forget, forget)
    return sent
  }

  async #sendUnless(known: Promise<boolean>, message: Message): Promise<boolean | undefined> {
    this.#sending++
    try {
      if (await known) return this.#giveUp(message.id, false)
    } catch (thrown) {
      this.#giveUp(message.id, undefined)
      throw thrown
    } finally {
      this.#sending--
    }
    return this.#take(message, false)
  }

  /** Messages that come in one moment for a wait that takes many go to it together. */
  #take(message: Message, isNew: boolean): Promise<boolean | undefined> {
    this.#sending++
    return new Promise((settle, reject) => {
      const sent: Sent = { message, isNew, settle, reject }
      if (!this.#inbox.takesMany(message.to)) return this.#arrive([sent])
      this.#gathered.push(sent)
      if (this.#gathered.length === 1) void Promise.resolve().then(() => this.#arrive(this.#gathered.splice(0)))
    })
  }

  /** Sends the messages from an index of the list on. Each step reads only what it is offered: a storm leaves a long rest. */
  #arrive(list: readonly Sent[], from = 0): void {
    const first = list[from]
    if (first === undefined) return
    const { to, at } = first.message
    let isHeld = false
    let offered = 1
    const onOver = (count: number) => {
      this.#sending -= count
      if (isHeld) this.#inbox.freeTopic(to)
    }
    const resolve = () => {
      const messages = this.#inbox.firstFor(messagesFrom(list, from))
      offered = messages.length
      return this.#inbox.inputOf(...messages)
    }
    const hold = () => {
      isHeld = true
      this.#inbox.holdTopic(to)
      return undefined
    }
    const onTaken = (record: number, input: Input | undefined) => {
      const count = this.#inbox.onListTaken(input, offered)
      // Messages that the step has left come before those that wait for the topic to be free.
      this.#arrive(list, from + count)
      onOver(count)
      this.#onTaken(list.slice(from, from + count), record)
    }
    const onRefused = () => {
      const rest = list.slice(from)
      onOver(rest.length)
      for (const { message, settle } of rest) settle(this.#giveUp(message.id, undefined))
    }
    // What was due when the message came is before it.
    this.#run.ring(at)
    this.#run.arrive({ resolve, hold, onTaken, onRefused })
  }

  #onTaken(taken: readonly Sent[], record: number): void {
    for (const { message, isNew } of taken) if (!isNew) this.#run.addDelivered(message)
    const onDurable = () => {
      for (const { message, settle } of taken) {
        this.#release(message.id)
        settle(true)
      }
    }
    // The process that has the run now takes it from the inbox. A message that may be in the journal needs an id that tells.
    const onFailed = (thrown: Error) => {
      for (const { message, isNew, settle, reject } of taken) {
        if (this.#run.isRefused || (this.#run.isLost && !isNew)) settle(this.#giveUp(message.id, undefined))
        else reject(thrown)
      }
    }
    this.#run.untilDurable(record).then(onDurable, onFailed)
  }

  /** The store knows the message as taken. */
  #release(id: string): void {
    if (this.#inbox.reading) this.#done.push(id)
    else this.#rows.delete(id)
  }

  #giveUp<Result>(id: string, result: Result): Result {
    const row = this.#rows.get(id)
    this.#rows.delete(id)
    if (row !== undefined) this.#inbox.giveBack(row)
    return result
  }
}

function* messagesFrom(list: readonly Sent[], from: number): Generator<Message> {
  for (let index = from; index < list.length; index++) {
    const sent = list[index]
    if (sent !== undefined) yield sent.message
  }
}
