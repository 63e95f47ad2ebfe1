import { type Fault, faults, checkRoom, type InboxLimit, type InboxMessage, isFault, type Message } from '../kernel/index.ts'
import { duplicateAnswer, endedRun, isOpen, type MessageColumns, messageColumns, messageOf, unknownRun } from './columns.ts'
import type { Rows } from './rows.ts'
import type { Statements } from './statements.ts'
import { sumOf } from './checksums.ts'

/** The faults of `post` that concern only the message. */
const REFUSALS: readonly string[] = ['R2001', 'R2002', 'R2004', 'R2130']

/**
 * Posts a message to a run. Returns false if the run has one with this id already, or if the limit drops it. Throws `R2016`,
 * `R2001`, `R2002` or `R2130`.
 */
export function postMessage(sql: Statements, id: string, message: Message, limit?: InboxLimit): boolean {
  const columns = messageColumns(message)
  const run = sql.head.get(id)
  if (run === undefined) throw unknownRun(id)
  if (sql.posted.get(run.seq, message.id) !== undefined) return false
  if (!isOpen(run.status)) throw endedRun(id, run.status)
  if (message.type === 'answer' && sql.answered.get(run.seq, message.to) !== undefined) throw duplicateAnswer(id)
  if (!checkRoom(id, message, limit, () => sql.waiting.get(run.seq, message.to)?.count ?? 0)) return false
  sql.post.run(run.seq, columns.id, columns.type, columns.target, columns.sender, columns.at, sumOfMessage(columns), columns.body)
  return true
}

/** Posts several messages to a run. Returns for each the result of `postMessage`, or its fault. Throws `R2016`. */
export function postMessages(sql: Statements, id: string, messages: readonly Message[], limit?: InboxLimit): (boolean | Fault)[] {
  return messages.map((message) => {
    try {
      return postMessage(sql, id, message, limit)
    } catch (thrown) {
      return refusalOf(thrown)
    }
  })
}

/** Returns the fault that refuses one message of several. Throws everything that concerns the others too. */
export function refusalOf(thrown: unknown): Fault {
  if (isFault(thrown) && REFUSALS.includes(thrown.code)) return thrown
  throw thrown
}

/** Stores a message that a record took without the inbox. Its content stands in the record. */
export function addTaken(sql: Statements, seq: number, taken: number, message: Message): void {
  const { sum, columns } = takenMessage(message)
  const { id, type, target, sender, at, body } = columns
  sql.addTaken.run(seq, id, type, target, sender, at, taken, sum, body)
}

/** Returns the columns of a message without its content, and their checksum. */
export function takenMessage(message: Message): { readonly columns: MessageColumns; readonly sum: number } {
  const columns = messageColumns({ ...message, body: null })
  return { columns, sum: sumOfMessage(columns) }
}

/** Returns the unread messages of a run after a row, in the order of arrival. */
export function inboxOf(sql: Statements, run: string, after = 0, limit?: number): readonly InboxMessage[] {
  return sql.inbox.all(run, after, limit === undefined ? -1 : Math.max(0, limit)).map((columns) => checkedMessage(columns, run))
}

/** Returns the message as the contract defines it. A damaged message carries the fault `R5013` and no content. */
export function checkedMessage(columns: Rows['inbox'], run: string): InboxMessage {
  const { row, id } = columns
  try {
    if (sumOfMessage(columns) === columns.sum) return { row, ...messageOf(columns, run) }
  } catch {
    // The body is not JSON.
  }
  const fault = faults.make('R5013', `message ${id} to ${run} is not what was written, and was set aside`, { run, fix: 'send it again' })
  return { row, id, type: 'message', to: '', body: null, at: 0, fault }
}

export function sumOfMessage({ id, type, target, sender, at, body }: MessageColumns): number {
  return sumOf(id, type, target, sender, at, body)
}
