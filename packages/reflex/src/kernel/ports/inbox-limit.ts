import { faults } from '../journal/faults.ts'
import type { InboxLimit, Message } from './store.ts'

/**
 * Returns true if a message may be stored where `waiting` messages of its topic wait, and false if it is dropped. Answers and
 * cancellations always may. Throws `R2130`.
 */
export function checkRoom(run: string, { type, to }: Message, limit: InboxLimit | undefined, waiting: () => number): boolean {
  if (limit === undefined || type !== 'message' || waiting() < limit.most) return true
  if (limit.drop === true) return false
  throw faults.make('R2130', `${limit.most} messages to ${to} wait already in the inbox of ${run}`, { run, path: to })
}
