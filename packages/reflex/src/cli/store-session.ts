import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { nearestConfig } from '../app/config-file.ts'
import { faults } from '../runs/faults.ts'
import { chooseStore, nearestStore } from '../app/home.ts'
import type { Store } from '../kernel/index.ts'
import { KnownStores } from '../app/known-stores.ts'
import type { Console } from './console.ts'
import type { CommonFlags } from './options.ts'

/** A command with the store open, and nothing that could go on with a run. */
export interface StoreSession {
  readonly console: Console
  readonly store: Store
}

/** Opens the store for a verb that only lists its rows: no program, model or tool is loaded. Closes it whatever happens. */
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

/** Returns the store that a verb looks into, if it is not the usual one: where there is none, none is made. Throws `R1021` for one that is named and not there. */
export function readableStore({ world }: Console, store: string | undefined): string | undefined {
  const { cwd, environment } = world.surroundings
  const named = store ?? environment['REFLEX_STORE']
  if (named === undefined) return nearestStore(cwd) === undefined ? 'memory:' : undefined
  const file = named.replace(/^sqlite:/, '')
  if (!/^[a-z][a-z0-9+.-]+:/i.test(file) && !existsSync(resolve(cwd, file)))
    throw faults.make('R1021', `there is no store ${named}`, { file: named, fix: 'name the store in which the runs are' })
  return store
}
