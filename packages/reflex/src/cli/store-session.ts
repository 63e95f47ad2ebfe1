import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { nearestConfig } from '../app/config-file.ts'
import { programFaults } from '../programs/faults.ts'
import { chooseStore, nearestStore } from '../app/home.ts'
import type { Store } from '../kernel/index.ts'
import { KnownStores } from '../app/known-stores.ts'
import type { Console } from './console.ts'
import type { CommonFlags } from './options.ts'

/** A command with an open store, and nothing that could continue a run. */
export interface StoreSession {
  readonly console: Console
  readonly store: Store
}

/**
 * Opens the store for a verb that only lists its rows, without loading a program, model or tool. Closes the store, also
 * after an error.
 */
export async function withStoreOnly(console: Console, flags: CommonFlags, work: (rows: StoreSession) => Promise<number>): Promise<number> {
  const { surroundings } = console.world
  const named = readableStore(console, flags.store) ?? surroundings.environment['REFLEX_STORE']
  if (nearestConfig(surroundings.cwd) !== undefined) {
    const { readConfig } = await import('../app/config.ts')
    console.warn(readConfig(surroundings.cwd).warnings)
  }
  const { store } = chooseStore(named, realpathSync(surroundings.cwd), new KnownStores(surroundings))
  try {
    return await work({ console, store })
  } finally {
    await store.close()
  }
}

/**
 * Returns the store that a verb reads, if it is not the default one. It never creates a store. Throws `R1021` for a
 * named store that does not exist.
 */
export function readableStore({ world }: Console, store: string | undefined): string | undefined {
  const { cwd, environment } = world.surroundings
  const named = store ?? environment['REFLEX_STORE']
  if (named === undefined) return nearestStore(cwd) === undefined ? 'memory:' : undefined
  const file = named.replace(/^sqlite:/, '')
  if (!/^[a-z][a-z0-9+.-]+:/i.test(file) && !existsSync(resolve(cwd, file)))
    throw programFaults.make('R1021', `there is no store ${named}`, { file: named, fix: 'name an existing store: --store PATH' })
  return store
}
