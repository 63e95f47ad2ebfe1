import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { KnownStores } from './known-stores.ts'
import { type Fault, isFault, type Store } from '../kernel/index.ts'
import { faults, type FileStore, openSqlite, openStore } from '../store/index.ts'
import { shellWord } from '../text/index.ts'
import { pathExists } from '../tools/paths.ts'

/** The store of a `Reflex`, and the folder around it. */
export interface ChosenStore {
  readonly store: Store
  readonly home: string
  readonly isNew: boolean
  /** Paths that no run may touch: the store itself and the folders of other runs. */
  readonly reserved: readonly string[]
}

/**
 * Returns the named store, otherwise the nearest one in the folder or above it, otherwise a new one in the folder. Throws
 * `R5030` for a found store that this user has neither created nor named, and for a folder `.reflex` here that Reflex has not
 * created.
 */
export function chooseStore(named: string | Store | undefined, workdir: string, stores: KnownStores): ChosenStore {
  const defaultHome = join(workdir, '.reflex')
  const otherStores = stores.reservedBelow(workdir)
  if (typeof named === 'object') return { store: named, home: defaultHome, isNew: false, reserved: [defaultHome, ...otherStores] }
  if (named?.startsWith('memory:'))
    return { store: openStore(named), home: defaultHome, isNew: true, reserved: [defaultHome, ...otherStores] }
  const file = named?.replace(/^sqlite:/, '')
  if (file !== undefined && /^[a-z][a-z0-9+.-]+:/i.test(file))
    return { store: openStore(file), home: defaultHome, isNew: false, reserved: [defaultHome, ...otherStores] }
  const { path, isNew, store } = file === undefined ? openFound(workdir, stores) : openNamed(resolve(workdir, file), stores)
  const home = realpathSync(dirname(path))
  const ownPaths =
    basename(home) === '.reflex'
      ? [home]
      : [...['', '-wal', '-shm'].map((end) => `${join(home, basename(path))}${end}`), join(home, 'runs'), join(home, 'shapes')]
  return { store, home, isNew, reserved: [...new Set([...ownPaths, defaultHome, ...otherStores])] }
}

/** A store in a file, and its path. */
interface OpenedFile {
  readonly path: string
  readonly isNew: boolean
  readonly store: FileStore
}

function openNamed(path: string, stores: KnownStores): OpenedFile {
  const fresh = !existsSync(path)
  const store = openSqlite(path)
  if (store.identity !== undefined && !store.readOnly) stores.add(path, store.identity)
  return { path, isNew: fresh, store }
}

function openFound(workdir: string, stores: KnownStores): OpenedFile {
  const { path, isNew: fresh, identity } = findStore(workdir, stores)
  // The store is added to the list before its folder exists: a process that ends in between must not leave an unknown store.
  const expected = identity ?? (fresh ? stores.reserve(path) : undefined)
  if (fresh) makeHome(dirname(path))
  return { path, isNew: fresh, store: openKnown(path, expected) }
}

/** Opens a found store. Throws `R5030` if its identity is not the expected one. */
export function openKnown(path: string, identity: string | undefined): FileStore {
  try {
    return openSqlite(path, { identity })
  } catch (thrown) {
    throw isFault(thrown) && thrown.code === 'R5030' ? unknownStore(path, thrown.message) : thrown
  }
}

/** The place of a store that was not named. */
export interface FoundStore {
  readonly path: string
  /** True if there is no store yet. */
  readonly isNew: boolean
  /** The identity that the store must have; undefined if any is accepted, because this process cannot remember stores. */
  readonly identity: string | undefined
}

/**
 * Finds the nearest store in a folder or above it, otherwise returns the place of a new one. Changes nothing. Throws `R5030`
 * for a place that is not on the list.
 */
export function findStore(from: string, stores: KnownStores): FoundStore {
  const found = nearestStore(from)
  const path = found ?? join(from, '.reflex', 'reflex.db')
  const identity = stores.identityAt(path)
  if (identity === undefined && stores.canRemember()) {
    if (found !== undefined) throw unknownStore(path, `the store ${path} was neither made nor named by you`)
    if (pathExists(dirname(path)) && !stores.isUserFolder(dirname(path))) throw unknownFolder(path)
  }
  return { path, isNew: found === undefined, identity }
}

function unknownStore(file: string, message: string): Fault {
  return faults.make('R5030', message, {
    file,
    fix: `if you know its origin, name it once: reflex runs --store ${shellWord(file)}; else remove ${dirname(file)}`,
  })
}

/** The contents of a folder that somebody else created would become part of the new store. */
function unknownFolder(file: string): Fault {
  return faults.make('R5030', `the folder ${dirname(file)} exists, and Reflex has not made it for you`, {
    file: dirname(file),
    fix: `remove it; or, if you know its origin, name a store in it once: reflex worker --once --store ${shellWord(file)}`,
  })
}

/** Returns the store of a folder: the nearest one in it or above it, if there is one. */
export function nearestStore(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, '.reflex', 'reflex.db')
    if (existsSync(file)) return file
    if (dirname(folder) === folder) return undefined
  }
}

/** Creates the folder of a store, which excludes itself from version control. Throws `R5023` if it cannot be created. */
function makeHome(home: string): void {
  try {
    // The parent exists. A recursive call may never return in a place where nothing can be created.
    if (!existsSync(home)) makeFolder(home)
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

function makeFolder(path: string): void {
  try {
    mkdirSync(path)
  } catch (thrown) {
    // Another process may have created it first.
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
  }
}
