/**
 * A process with its own store that performs commands: `open`, any method of the store, or `flood`, which commits one
 * batch after the other and prints the number of each when it is durable.
 */
import { writeSync } from 'node:fs'
import { causeOf } from '../../src/kernel/journal/fault.ts'
import type { Lease, Store } from '../../src/kernel/ports/store.ts'
import { openStore } from '../../src/store/index.ts'
import { batchOf } from '../../src/testing/store-suite/world.ts'

let store: Store | undefined

// A file that may not grow must cause a write error, not the end of the process.
process.on('SIGXFSZ', () => {})
process.on('disconnect', () => process.exit())
process.on('message', ([name, ...args]: [string, ...unknown[]]) => void answer(name, args))

async function answer(name: string, args: unknown[]): Promise<void> {
  try {
    process.send?.({ answer: await perform(name, args) })
  } catch (thrown) {
    process.send?.({ fault: causeOf(thrown) })
  }
}

function perform(name: string, args: unknown[]): unknown {
  if (name === 'open') {
    store = openStore(args[0] as string)
    return undefined
  }
  if (store === undefined) throw new Error('open comes first')
  if (name === 'flood') return flood(store, args[0] as Lease, args[1] as number)
  return (store[name as keyof Store] as (...args: unknown[]) => unknown).apply(store, args)
}

async function flood(store: Store, lease: Lease, size: number): Promise<never> {
  for (let first = 1; ; first += 2) {
    const body = JSON.stringify([
      [1, first],
      [1, 'x'.repeat(size)],
    ])
    const row = { status: 'running', updated: first, due: null, waits: [] } as const
    await store.commit([
      batchOf(lease, first, { count: 2, body, row, snapshot: `at ${first + 1}`, blobs: new Map([[`b${first}`, 'text']]) }),
    ])
    writeSync(1, `${first + 1}\n`)
  }
}
