import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { freshId } from './host.ts'
import { digest, isObject, type Json } from './kernel/index.ts'
import { isBelow } from './tools/paths.ts'

/** The places in which a process finds the stores that its user knows. */
export interface KnownStoresOf {
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** The file beside a store that distinguishes it from another one at the same path. */
const ID = 'id'
/** Bytes. */
const LONGEST_ID = 200

/**
 * The stores that this user's Reflex has made, or was given by name. Anyone who can write a file can put a store into a
 * folder, with a question in it that the user would answer, so a search upwards finds only these stores. Each is a file in the
 * user's state folder: the path of the store, and the id that lies beside it, so that a copy, a moved store and a store that
 * took the place of another are all unknown.
 */
export class KnownStores {
  /** The folder of known stores; undefined where the environment names none. */
  readonly folder: string | undefined

  constructor({ environment }: KnownStoresOf) {
    const state = stateFolder(environment)
    this.folder = state === undefined ? undefined : join(state, 'stores')
  }

  /** True if a store may be used that the user has not named. Where nothing can be remembered, every store may be used. */
  accepts(file: string): boolean {
    return this.knows(file) || !this.remembers()
  }

  /** True if the store at this path was made or named here. Changes nothing. */
  knows(file: string): boolean {
    const known = this.#entry(file)
    const id = idBeside(file)
    return known !== undefined && id !== undefined && known.id === id && known.path === realFile(file)
  }

  /** True if this process can remember stores. Changes nothing. */
  remembers(): boolean {
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

  /** Remembers that this user has made or named a store. Does nothing where that is impossible. */
  add(file: string): void {
    if (this.folder === undefined || !canBeFound(file) || this.knows(file)) return
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 })
      const id = idBeside(file) ?? makeId(file)
      const path = realFile(file)
      replace(join(this.folder, entryName(path)), `${JSON.stringify({ path, id })}\n`)
    } catch {
      // A read-only home stops no work; doctor reports it.
    }
  }

  /** Folders and files below a folder that no run may touch: those of other stores, and the list of known stores. */
  below(folder: string): readonly string[] {
    if (this.folder === undefined) return []
    const stores = namesIn(this.folder).flatMap((name) => this.#read(join(this.folder ?? '', name))?.path ?? [])
    const homes = stores.filter((path) => existsSync(path)).map((path) => (isHome(dirname(path)) ? dirname(path) : path))
    return [...new Set([...homes, this.folder])].filter((path) => isBelow(path, folder) && path !== folder)
  }

  #entry(file: string): { readonly path: string; readonly id: string } | undefined {
    return this.folder === undefined ? undefined : this.#read(join(this.folder, entryName(realFile(file))))
  }

  #read(file: string): { readonly path: string; readonly id: string } | undefined {
    try {
      const { path, id } = objectOf(JSON.parse(readFileSync(file, 'utf8')) as Json)
      return typeof path === 'string' && typeof id === 'string' && id !== '' ? { path, id } : undefined
    } catch {
      return undefined
    }
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
export function canBeFound(file: string): boolean {
  return basename(file) === 'reflex.db' && isHome(dirname(file))
}

function isHome(folder: string): boolean {
  return basename(folder) === '.reflex'
}

/** The file of an id may be a pipe without a writer, or a device without an end. */
function idBeside(file: string): string | undefined {
  let handle: number
  try {
    handle = openSync(join(dirname(file), ID), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    const stat = fstatSync(handle)
    return stat.isFile() && stat.size <= LONGEST_ID ? readFileSync(handle, 'utf8').trim() || undefined : undefined
  } finally {
    closeSync(handle)
  }
}

function makeId(file: string): string {
  replace(join(dirname(file), ID), `${freshId()}\n`)
  return idBeside(file) ?? ''
}

/** Another process reads either the old or the new file. */
function replace(file: string, text: string): void {
  const draft = `${file}.${freshId().slice(0, 8)}.tmp`
  writeFileSync(draft, text, { flag: 'wx', mode: 0o600 })
  renameSync(draft, file)
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
