import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { newId } from './host.ts'
import { digest, isObject, type Json } from '../kernel/index.ts'
import { isBelow } from '../tools/paths.ts'

/** The environment that locates the list of known stores. */
export interface KnownStoresOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** An entry of the list: the real path of a store, and the identity inside its database. */
interface KnownStore {
  readonly path: string
  readonly id: string
}

/**
 * The list of stores that this user's Reflex has created or was given by name. A search in parent folders finds only these
 * stores: anyone who can write a file could place a store in a folder, with a question that the user would answer. Each entry
 * is a file in the user's state folder, with the path of the store and the identity inside its database. A copied, moved or
 * replaced store is therefore unknown. A path keeps its identity: a store that is created again gets the same one, so processes
 * that create a store at the same time agree.
 */
export class KnownStores {
  /** The folder of known stores; undefined if the environment names none. */
  readonly folder: string | undefined
  readonly #home: string | undefined

  constructor({ environment }: KnownStoresOptions) {
    const state = stateFolder(environment)
    this.folder = state === undefined ? undefined : join(state, 'stores')
    this.#home = environment['HOME'] ?? environment['USERPROFILE']
  }

  /** Returns the identity that the store at this path must have; undefined if the path is not on the list. Changes nothing. */
  identityAt(file: string): string | undefined {
    const path = realFile(file)
    const known = this.folder === undefined ? undefined : readEntry(join(this.folder, entryName(path)))
    return known?.path === path ? known.id : undefined
  }

  /** True if a folder `.reflex` without a store is the user's own, in which Reflex stores the user's secret. */
  isUserFolder(folder: string): boolean {
    return this.#home !== undefined && realFile(folder) === realFile(join(this.#home, '.reflex'))
  }

  /** True if this process can remember stores. Changes nothing. */
  canRemember(): boolean {
    if (this.folder === undefined) return false
    let at = this.folder
    while (!existsSync(at) && dirname(at) !== at) at = dirname(at)
    try {
      accessSync(at, constants.W_OK)
      return statSync(at).isDirectory()
    } catch {
      return false
    }
  }

  /** Adds a store to the list before it is created. Returns the identity for it; undefined if this process cannot remember stores. */
  reserve(file: string): string | undefined {
    this.#write({ path: realFile(file), id: newId() }, linkSync)
    return this.identityAt(file)
  }

  /** Adds a store that this user has named. Does nothing if that is impossible. */
  add(file: string, id: string): void {
    if (canBeFound(file) && this.identityAt(file) !== id) this.#write({ path: realFile(file), id }, renameSync)
  }

  /** Returns the paths below a folder that no run may touch: those of other stores, and the list of known stores. */
  reservedBelow(folder: string): readonly string[] {
    if (this.folder === undefined) return []
    const stores = namesIn(this.folder).flatMap((name) => readEntry(join(this.folder ?? '', name))?.path ?? [])
    const homes = stores.filter((path) => existsSync(path)).map((path) => (isHome(dirname(path)) ? dirname(path) : path))
    return [...new Set([...homes, this.folder])].filter((path) => isBelow(path, folder) && path !== folder)
  }

  /** Other processes read either the old or the new file. `linkSync` never replaces a file. */
  #write(known: KnownStore, place: typeof linkSync): void {
    if (this.folder === undefined) return
    const file = join(this.folder, entryName(known.path))
    const draft = `${file}.${newId().slice(0, 8)}.tmp`
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 })
      writeFileSync(draft, `${JSON.stringify(known)}\n`, { flag: 'wx', mode: 0o600 })
      place(draft, file)
    } catch {
      // The entry exists already; or the folder is read-only, which `doctor` reports and which stops no work.
    }
    try {
      rmSync(draft, { force: true })
    } catch {
      // The folder does not exist.
    }
  }
}

function readEntry(file: string): KnownStore | undefined {
  try {
    const { path, id } = objectOf(JSON.parse(readFileSync(file, 'utf8')) as Json)
    return typeof path === 'string' && typeof id === 'string' && id !== '' ? { path, id } : undefined
  } catch {
    return undefined
  }
}

/** Returns the folder for the state of a user's programs; undefined if the environment names no user. */
function stateFolder(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const named = (name: string): string | undefined => {
    const value = environment[name]
    return value !== undefined && isAbsolute(value) ? value : undefined
  }
  const [home, state] = [named('HOME'), named('XDG_STATE_HOME')]
  if (state !== undefined) return join(state, 'reflex')
  if (process.platform === 'win32') {
    const local = named('LOCALAPPDATA')
    return local === undefined ? undefined : join(local, 'reflex')
  }
  // A home folder that does not exist is not created.
  if (home === undefined || !existsSync(home)) return undefined
  return process.platform === 'darwin' ? join(home, 'Library', 'Application Support', 'reflex') : join(home, '.local', 'state', 'reflex')
}

/** Returns the path of a store without links: its name in its real folder. */
function realFile(file: string): string {
  try {
    return join(realpathSync(dirname(file)), basename(file))
  } catch {
    return file
  }
}

function entryName(path: string): string {
  return `${digest(path).slice(0, 32)}.json`
}

/** True if a search in parent folders can find the store. */
function canBeFound(file: string): boolean {
  return basename(file) === 'reflex.db' && isHome(dirname(file))
}

function isHome(folder: string): boolean {
  return basename(folder) === '.reflex'
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
}

function objectOf(value: Json): { readonly [key: string]: Json } {
  return isObject(value) ? value : {}
}
