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

/** The places in which a process finds the stores that its user knows. */
export interface KnownStoresOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** A store as the list has it: its real path, and the identity inside the database. */
interface KnownStore {
  readonly path: string
  readonly id: string
}

/**
 * The stores that this user's Reflex has made, or was given by name. Anyone who can write a file can put a store into a
 * folder, with a question in it that the user would answer, so a search upwards finds only these stores. Each is a file in the
 * user's state folder: the path of the store, and the identity inside its database, so that a copy, a moved store and a store
 * that took the place of another are all unknown. A path keeps its identity: a store that is made again after it was
 * removed gets the same one, and so processes that make a store at the same time agree.
 */
export class KnownStores {
  /** The folder of known stores; undefined where the environment names none. */
  readonly folder: string | undefined
  readonly #home: string | undefined

  constructor({ environment }: KnownStoresOptions) {
    const state = stateFolder(environment)
    this.folder = state === undefined ? undefined : join(state, 'stores')
    this.#home = environment['HOME'] ?? environment['USERPROFILE']
  }

  /** The identity that the store at this path must have; undefined where the path is not on the list. Changes nothing. */
  identityAt(file: string): string | undefined {
    const path = realFile(file)
    const known = this.folder === undefined ? undefined : readEntry(join(this.folder, entryName(path)))
    return known?.path === path ? known.id : undefined
  }

  /** True if a folder `.reflex` without a store is the user's own, in which Reflex keeps the user's secret. */
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

  /** Puts a store on the list before it is made. Returns the identity to make it with; undefined where nothing can be remembered. */
  reserve(file: string): string | undefined {
    this.#write({ path: realFile(file), id: newId() }, linkSync)
    return this.identityAt(file)
  }

  /** Remembers a store that this user has named. Does nothing where that is impossible. */
  add(file: string, id: string): void {
    if (canBeFound(file) && this.identityAt(file) !== id) this.#write({ path: realFile(file), id }, renameSync)
  }

  /** Folders and files below a folder that no run may touch: those of other stores, and the list of known stores. */
  reservedBelow(folder: string): readonly string[] {
    if (this.folder === undefined) return []
    const stores = namesIn(this.folder).flatMap((name) => readEntry(join(this.folder ?? '', name))?.path ?? [])
    const homes = stores.filter((path) => existsSync(path)).map((path) => (isHome(dirname(path)) ? dirname(path) : path))
    return [...new Set([...homes, this.folder])].filter((path) => isBelow(path, folder) && path !== folder)
  }

  /** Another process reads either the old or the new file. A link takes the place of no file. */
  #write(known: KnownStore, place: typeof linkSync): void {
    if (this.folder === undefined) return
    const file = join(this.folder, entryName(known.path))
    const draft = `${file}.${newId().slice(0, 8)}.tmp`
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 })
      writeFileSync(draft, `${JSON.stringify(known)}\n`, { flag: 'wx', mode: 0o600 })
      place(draft, file)
    } catch {
      // The store is on the list already; or the folder is read-only, which stops no work and which doctor reports.
    }
    try {
      rmSync(draft, { force: true })
    } catch {
      // There is no such folder.
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

/** The folder in which the system keeps the state of a user's programs; undefined where the environment names no user. */
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
  // A home that does not exist is not made.
  if (home === undefined || !existsSync(home)) return undefined
  return process.platform === 'darwin' ? join(home, 'Library', 'Application Support', 'reflex') : join(home, '.local', 'state', 'reflex')
}

/** The path of a store without links in it: its name in the folder in which it really lies. */
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

/** A search upwards finds only stores of this form. */
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
