import { checkRoom } from '../ports/inbox-limit.ts'
import type { Awaitable, InboxLimit, InboxMessage, Message } from '../ports/store.ts'

/** A source of messages: the inbox of a store, or one in memory for a run without a store. */
export interface MessageSource {
  post(run: string, message: Message, limit?: InboxLimit): Awaitable<boolean>
  /** Returns true if a message of this id was posted. Absent in a store whose commits cannot store a message that was not posted. */
  posted?(run: string, id: string): Awaitable<boolean>
  inbox(run: string, after: number, limit: number): Awaitable<readonly InboxMessage[]>
  /** Removes a message that a record has taken. Only for a source whose messages are not removed by a commit. */
  taken?(message: InboxMessage): void
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
