import type { Arrival } from './arrival.ts'
import { cancelInput } from '../journal/cancellation.ts'
import { faults } from '../journal/faults.ts'
import type { Wait } from '../state/frame.ts'
import type { Input } from '../journal/record.ts'
import type { State } from '../state/state.ts'
import type { Awaitable, InboxMessage, Message } from '../ports/store.ts'

/** Where messages wait until something takes them: a store's inbox, or one in memory for runs without a store. */
export interface MessageSource {
  post(run: string, message: Message): Awaitable<boolean>
  inbox(run: string): Awaitable<readonly InboxMessage[]>
  /** Where messages are not taken by a commit: a record has taken this one. */
  taken?(row: number): void
}

/** A run as its inbox sees it. */
export interface InboxOwner {
  readonly id: string
  readonly state: State
  arrive(arrival: Arrival): void
  /** The record that is being made takes this message. */
  take(row: number): void
  /** Meets the waits that were due by then. */
  ring(until: number): void
  /** Puts on record that a message came too late, or is damaged. */
  refuse(message: InboxMessage): Promise<void>
  onRested(): void
  onInboxFailed(thrown: unknown): void
}

/** Brings what was told to a run from outside to the waits that it is for. */
export class Inbox {
  readonly #run: InboxOwner
  readonly #source: MessageSource
  /** Rows on their way to a record, or in one: a list read before the commit that took them still shows them. */
  readonly #known = new Set<number>()
  #reading = 0

  constructor(run: InboxOwner, source: MessageSource) {
    this.#run = run
    this.#source = source
  }

  /** A list has been asked for, or the reason of a refusal, and is not here yet: the run is not at rest. */
  get reading(): boolean {
    return this.#reading > 0
  }

  /** Takes what the inbox holds: answers, messages that something waits for, cancellations. The rest stays there. */
  async pull(): Promise<void> {
    const rows = this.#source.inbox(this.#run.id)
    if (!(rows instanceof Promise)) return this.#deliver(rows)
    await this.#busyWith(async () => this.#deliver(await rows))
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

  /** As `pull`, for the run itself: a wait for a message has been opened. */
  look(): void {
    this.pull().catch((thrown: unknown) => this.#run.onInboxFailed(thrown))
  }

  /** Puts a message before the run. False if one of this id was there before. */
  async post(message: Message): Promise<boolean> {
    const isNew = await this.#source.post(this.#run.id, message)
    await this.pull()
    return isNew
  }

  #deliver(rows: readonly InboxMessage[]): void {
    for (const row of rows) {
      if (this.#known.has(row.row)) continue
      this.#known.add(row.row)
      if (row.fault !== undefined) {
        void this.#busyWith(() => this.#run.refuse(row))
        continue
      }
      this.#run.ring(row.at)
      this.#run.arrive({ resolve: () => this.#inputOf(row), onTaken: () => this.#onTaken(row.row), onRefused: () => this.#onRefused(row) })
    }
  }

  #onTaken(row: number): void {
    this.#run.take(row)
    this.#source.taken?.(row)
  }

  #inputOf(row: InboxMessage): ReturnType<Arrival['resolve']> {
    const { state } = this.#run
    if (state.ended !== undefined) return undefined
    if (row.type === 'cancel') return [state.root, cancelInput(row.body, row.by)]
    const wait = waitFor(state, row)
    return wait === undefined ? undefined : [wait.frame, inputFor(wait, row)]
  }

  /** A message stays until something waits for it; an answer to a question that is not open will never be taken. */
  #onRefused(row: InboxMessage): void {
    if (row.type === 'answer') void this.#busyWith(() => this.#run.refuse(row))
    else this.#known.delete(row.row)
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

/** The inbox of a run without a store, with the rules of every store's. */
export function localInbox(): MessageSource {
  const ids = new Set<string>()
  const waiting = new Map<number, InboxMessage>()
  return {
    post(run, message) {
      if (ids.has(message.id)) return false
      const rivals = message.type === 'answer' ? [...waiting.values()].filter(({ type, to }) => type === 'answer' && to === message.to) : []
      if (rivals.length > 0) throw faults.make('R2002', `an answer to this question of ${run} waits already`, { run })
      ids.add(message.id)
      waiting.set(ids.size, { ...message, row: ids.size })
      return true
    },
    inbox: () => [...waiting.values()],
    taken: (row) => void waiting.delete(row),
  }
}
