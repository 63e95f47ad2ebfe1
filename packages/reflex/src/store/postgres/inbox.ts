import type { Json } from '../../kernel/journal/json.ts'
import type { Message } from '../../kernel/ports/store.ts'
import { hasAnswer, hasEnded, isOpen, messageColumns, noRun } from '../columns.ts'
import { sumOfMessage } from '../inbox.ts'
import { sumOfEntry } from '../ledgers.ts'
import type { Ask } from './connection.ts'

/** Puts a message before a run; two answers to one wait, or two messages of one id, the indexes keep apart. */
export async function postMessage(ask: Ask, run: string, message: Message, doubt: boolean): Promise<boolean> {
  const columns = messageColumns(message)
  const { id, type, target, sender, at, body } = columns
  const sum = sumOfMessage(columns)
  for (;;) {
    const [posted] = await ask('post', [run, id, type, target, sender, at, sum, body])
    if (posted !== undefined) return true
    const [obstacle] = await ask('obstacle', [run, id, target])
    if (obstacle === undefined) throw noRun(run)
    // In doubt, the very same message is the one that was posted the first time.
    if (obstacle.sum !== null) return doubt && obstacle.sum === sum
    if (!isOpen(obstacle.status)) throw hasEnded(run, obstacle.status)
    if (type === 'answer' && obstacle.answered === 1) throw hasAnswer(run)
    // What stood in the way is gone meanwhile.
  }
}

const NO_ENTRY = { known: null, last: 0 }

/** Appends to a ledger. Whoever is overtaken on the way to a number takes the next one. */
export async function appendEntry(ask: Ask, name: string, key: string, value: Json, at: number): Promise<number> {
  const text = JSON.stringify(value)
  for (;;) {
    const [{ known, last } = NO_ENTRY] = await ask('ledgerEnd', [name, key])
    if (known !== null) return known
    const seq = last + 1
    const [entry] = await ask('append', [name, seq, key, at, sumOfEntry(name, seq, key, at, text), text])
    if (entry !== undefined) return seq
  }
}
