import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { KnownStores } from './known-stores.ts'
import type { Fault, Store } from './kernel/index.ts'
import { faults, openStore } from './store/index.ts'
import { shellWord } from './text/index.ts'

/** The store of a `Reflex`, and the folder around it. */
export interface ChosenStore {
  readonly store: Store
  readonly home: string
  readonly fresh: boolean
  /** What no run may touch: the store itself and the folders of other runs. */
  readonly reserved: readonly string[]
}

/**
 * Returns the store that was named, else the nearest one upwards, else a new one here. Throws `R5030` for a store that was found
 * and that this user has neither made nor named.
 */
export function chooseStore(named: string | Store | undefined, workdir: string, stores: KnownStores): ChosenStore {
  const beside = join(workdir, '.reflex')
  const others = stores.below(workdir)
  if (typeof named === 'object') return { store: named, home: beside, fresh: false, reserved: [beside, ...others] }
  if (named?.startsWith('memory:')) return { store: openStore(named), home: beside, fresh: true, reserved: [beside, ...others] }
  const file = (named ?? acceptedStore(workdir, stores) ?? join(beside, 'reflex.db')).replace(/^sqlite:/, '')
  if (/^[a-z][a-z0-9+.-]+:/i.test(file)) return { store: openStore(file), home: beside, fresh: false, reserved: [beside, ...others] }
  const path = resolve(workdir, file)
  const fresh = !existsSync(path)
  if (fresh && named === undefined) {
    makeHome(dirname(path))
    // Before the store exists: a process that dies while it makes a store must not leave an unknown one.
    stores.add(path)
  }
  const store = openStore(path)
  stores.add(path)
  const home = realpathSync(dirname(path))
  const own =
    basename(home) === '.reflex'
      ? [home]
      : [...['', '-wal', '-shm'].map((end) => `${join(home, basename(path))}${end}`), join(home, 'runs')]
  return { store, home, fresh, reserved: [...new Set([...own, beside, ...others])] }
}

/** The nearest store upwards, if there is one. Throws `R5030` for one that this user has neither made nor named. */
export function acceptedStore(from: string, stores: KnownStores): string | undefined {
  const file = nearestStore(from)
  if (file === undefined || stores.accepts(file)) return file
  throw unknownStore(file)
}

/** The fault for a store that this user has neither made nor named. */
export function unknownStore(file: string): Fault {
  return faults.make('R5030', `the store ${file} was neither made nor named by you`, {
    file,
    fix: `if you know its origin, name it once: reflex runs --store ${shellWord(file)}; else remove ${dirname(file)}`,
  })
}

/** The store that belongs to a folder: the nearest one upwards, if there is one. */
export function nearestStore(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, '.reflex', 'reflex.db')
    if (existsSync(file)) return file
    if (dirname(folder) === folder) return undefined
  }
}

/** The folder of a store keeps itself out of version control. Throws `R5023` where it cannot be made. */
function makeHome(home: string): void {
  try {
    // The folder above is there, and where nothing can be made a recursive call may never return.
    if (!existsSync(home)) mkdirSync(home)
    const ignore = join(home, '.gitignore')
    if (!existsSync(ignore)) writeFileSync(ignore, '*\n')
  } catch (cause) {
    throw faults.make('R5023', `the folder ${home} for a store cannot be made`, {
      file: home,
      fix: 'name a file in a folder that you may write to, with --store',
      cause,
    })
  }
}
