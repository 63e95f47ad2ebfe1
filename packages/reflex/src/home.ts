import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Store } from './kernel/index.ts'
import { faults, openStore } from './store/index.ts'

/** The store of a `Reflex`, and the folder around it. */
export interface ChosenStore {
  readonly store: Store
  readonly home: string
  readonly fresh: boolean
  /** What no run may touch: the store itself and the folders of other runs. */
  readonly reserved: readonly string[]
}

/** The store that was named, else the nearest one upwards, else a new one here. */
export function chooseStore(named: string | Store | undefined, workdir: string): ChosenStore {
  const beside = join(workdir, '.reflex')
  if (typeof named === 'object') return { store: named, home: beside, fresh: false, reserved: [beside] }
  if (named?.startsWith('memory:')) return { store: openStore(named), home: beside, fresh: true, reserved: [beside] }
  const file = (named ?? nearestStore(workdir) ?? join(beside, 'reflex.db')).replace(/^sqlite:/, '')
  if (/^[a-z][a-z0-9+.-]+:/i.test(file)) return { store: openStore(file), home: beside, fresh: false, reserved: [beside] }
  const path = resolve(workdir, file)
  const fresh = !existsSync(path)
  if (fresh && named === undefined) makeHome(dirname(path))
  const store = openStore(path)
  const home = realpathSync(dirname(path))
  const own =
    basename(home) === '.reflex'
      ? [home]
      : [...['', '-wal', '-shm'].map((end) => `${join(home, basename(path))}${end}`), join(home, 'runs')]
  return { store, home, fresh, reserved: own }
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
