import type { OpenQuestion } from '../runs/handle.ts'
import { isObject } from '../kernel/index.ts'
import type { Session } from './session.ts'

/** Milliseconds: whoever holds a run looks into its inbox about once a second. */
const PATIENCE = 3000
const LOOK = 100

/**
 * What becomes of an answer in the inbox of a run that another process holds. `taken`: it is on record. `late`: something
 * else closed the question first. `waits`: nobody has looked yet.
 */
export async function becameOf(session: Session, question: OpenQuestion, message: string): Promise<'taken' | 'late' | 'waits'> {
  const { host } = session.console.world.surroundings
  const until = host.now() + PATIENCE
  while (await isOpen(session, question)) {
    if (host.now() >= until) return 'waits'
    await new Promise<void>((resolve) => void host.at(host.now() + LOOK, resolve))
  }
  // The record that takes a message and its end in the inbox are one commit.
  const lies = (await session.reflex.store.inbox(question.run)).some(({ id }) => id === message)
  return lies || (await isRefused(session, question, message)) ? 'late' : 'taken'
}

async function isOpen({ reflex }: Session, { run, wait }: OpenQuestion): Promise<boolean> {
  const row = (await reflex.store.read(run, 0))?.row
  return row !== undefined && (row.status === 'running' || row.status === 'suspended') && row.waits.some(({ id }) => String(id) === wait)
}

async function isRefused({ reflex }: Session, { run }: OpenQuestion, message: string): Promise<boolean> {
  const records = await reflex.runtime.journal(run)
  return records.some(({ input }) => input?.[0] === 'kernel' && input[1] === 'refused' && isObject(input[2]) && input[2].id === message)
}
