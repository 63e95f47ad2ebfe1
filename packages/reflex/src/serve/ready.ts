import type { Reflex } from '../app/reflex.ts'
import { serveFaults } from '../protocol/faults.ts'

/** The most milliseconds that the store of a ready process takes to answer. */
const READY_MS = 2000

/** Reads from the store. Throws `R6061` if it does not answer in time, and its own fault if it fails. */
export async function requireStore({ store, host }: Pick<Reflex, 'store' | 'host'>): Promise<void> {
  let cancel: (() => void) | undefined
  const late = new Promise<never>((_, reject) => {
    cancel = host.at(host.now() + READY_MS, () => reject(serveFaults.make('R6061', 'the store does not answer')), true)
  })
  try {
    await Promise.race([store.runs({ limit: 1 }), late])
  } finally {
    cancel?.()
  }
}
