import type { Wait } from '../state/frame.ts'
import type { InboxMessage } from '../ports/store.ts'
import { topicIn } from '../journal/topics.ts'

/** A message that was read from the inbox, and that no record has taken. */
export interface BacklogMessage {
  readonly message: InboxMessage
  /** The waits that were due when the message came have been met. */
  isRung: boolean
}

/**
 * The messages of a run that were read and not taken, in the order of the inbox: one queue for each topic, so that a message
 * that no wait takes costs nothing while others pass it, and one for answers and cancellations.
 */
export class Backlog {
  readonly #topics = new Map<string, Fifo<BacklogMessage>>()
  readonly #addressed = new Fifo<BacklogMessage>()
  /** Topics with a message that is held: no other of the topic overtakes it. */
  readonly #held = new Set<string>()
  /** A message names a frame beside its topic. */
  #hasAddresses = false

  add(message: InboxMessage): void {
    const added = { message, isRung: false }
    if (message.type !== 'message') return this.#addressed.push(added)
    this.#queueOf(message).push(added)
  }

  #queueOf({ to }: InboxMessage): Fifo<BacklogMessage> {
    const queue = this.#topics.get(to) ?? new Fifo()
    this.#topics.set(to, queue)
    this.#hasAddresses ||= to.includes('@')
    return queue
  }

  /** Returns the first message that is an answer or a cancellation, or that one of the waits takes. It stays here. */
  next(waits: Iterable<Wait>): BacklogMessage | undefined {
    let first = this.#addressed.peek()
    if (this.#topics.size === 0) return first
    for (const { type, name, frame } of waits) {
      if (type !== 'message') continue
      first = earlier(first, this.#first(name))
      if (this.#hasAddresses) first = earlier(first, this.#first(topicIn(frame.id, name)))
    }
    return first
  }

  /**
   * Returns the first message to one of these addresses, which stays here: undefined if an answer or a cancellation came before it.
   */
  nextTo(addresses: readonly string[]): BacklogMessage | undefined {
    let first: BacklogMessage | undefined
    for (const address of addresses) first = earlier(first, this.#first(address))
    return earlier(this.#addressed.peek(), first) === first ? first : undefined
  }

  #first(topic: string): BacklogMessage | undefined {
    return this.#held.has(topic) ? undefined : this.#topics.get(topic)?.peek()
  }

  /** True if messages of the topic wait, or one is held. */
  has(topic: string): boolean {
    return this.#topics.has(topic) || this.#held.has(topic)
  }

  hold(topic: string): void {
    this.#held.add(topic)
  }

  free(topic: string): void {
    this.#held.delete(topic)
  }

  /** Returns the number of messages of a topic. */
  count(topic: string): number {
    return this.#topics.get(topic)?.size ?? 0
  }

  /** Puts messages back before the others of their topics. */
  giveBack(messages: readonly InboxMessage[], isRung = true): void {
    for (const [, ofTopic] of Map.groupBy(messages, ({ to }) => to)) {
      const [first] = ofTopic
      if (first !== undefined) this.#queueOf(first).prepend(ofTopic.map((message) => ({ message, isRung })))
    }
  }

  /** Removes a message that `next` or `nextTo` returned. */
  remove({ message }: BacklogMessage): void {
    if (message.type !== 'message') return this.#addressed.shift()
    const queue = this.#topics.get(message.to)
    queue?.shift()
    if (queue?.peek() === undefined) this.#topics.delete(message.to)
  }
}

function earlier(one: BacklogMessage | undefined, other: BacklogMessage | undefined): BacklogMessage | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return other.message.row < one.message.row ? other : one
}

/** A list that is taken from its beginning, at the same cost however long it is. */
class Fifo<Item> {
  #items: Item[] = []
  #head = 0

  push(item: Item): void {
    this.#items.push(item)
  }

  /** Puts items before the others. Moves the others at most once. */
  prepend(items: readonly Item[]): void {
    const free = this.#head - items.length
    if (free < 0) this.#items = [...items, ...this.#items.slice(this.#head)]
    else for (const [index, item] of items.entries()) this.#items[free + index] = item
    this.#head = Math.max(0, free)
  }

  get size(): number {
    return this.#items.length - this.#head
  }

  peek(): Item | undefined {
    return this.#items[this.#head]
  }

  shift(): void {
    this.#head++
    if (this.#head < this.#items.length && (this.#head < 1024 || this.#head * 2 < this.#items.length)) return
    this.#items = this.#items.slice(this.#head)
    this.#head = 0
  }
}
