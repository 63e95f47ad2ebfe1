import { lstat, readdir, stat } from 'node:fs/promises'
import { sep } from 'node:path'
import { isBelow } from '../tools/paths.ts'

/** The limit of entries of a search. Beyond it, the whole folder counts as written. */
const MOST_ENTRIES = 500_000
/** The folders that are read at the same time. */
const ABREAST = 16
/** Milliseconds after its last change within which a folder may change again without another time of change. */
const UNSETTLED_MS = 2000

/** The state of a file: two equal states mean the same text. */
export interface FileState {
  readonly version: string
  /** The time of the last change in milliseconds since the epoch. */
  readonly changed: number
}

/** The files below some folders, with their states. */
export interface FoundFiles {
  readonly states: ReadonlyMap<string, FileState>
  /** Folders with too many entries to search. */
  readonly unsearched: readonly string[]
}

/** The state of a file that cannot be examined: it counts as changed. */
export const UNKNOWN: FileState = { version: 'unknown', changed: 0 }

/** The parts that searches need. */
export interface SearchParts {
  /** True if a program can be read from a file at this path. */
  readonly isProgram: (path: string) => boolean
  /** Folders that are hidden from commands, and are not entered. */
  readonly hidden: readonly string[]
  /** Returns milliseconds since the epoch. */
  readonly now: () => number
}

/** The paths in a folder, as of a state of it. */
interface Listing {
  readonly version: string
  readonly folders: readonly string[]
  readonly files: readonly string[]
}

/** A search that runs, and the one that begins after it for everyone who has asked in the meantime. */
interface Turn {
  readonly running: Promise<FoundFiles>
  next: Promise<FoundFiles> | undefined
}

/**
 * Finds files below folders. A link counts as a file with the state of its target, because programs are read through links; folders
 * are not entered through links. Calls that ask at the same time share a search that begins after they asked, and a folder that has
 * not changed since an earlier search is not listed again.
 */
export class FolderSearches {
  readonly #parts: SearchParts
  readonly #listings = new Map<string, Listing>()
  #listed = 0
  readonly #turns = new Map<string, Turn>()

  constructor(parts: SearchParts) {
    this.#parts = parts
  }

  /** Finds the programs below folders, or all files. */
  async find(folders: readonly string[], which: 'programs' | 'all'): Promise<FoundFiles> {
    const found = await Promise.all(folders.map((folder) => this.#shared(folder, which)))
    return { states: new Map(found.flatMap(({ states }) => [...states])), unsearched: found.flatMap(({ unsearched }) => unsearched) }
  }

  #shared(folder: string, which: 'programs' | 'all'): Promise<FoundFiles> {
    const key = `${which} ${folder}`
    const turn = this.#turns.get(key)
    if (turn === undefined) return this.#begin(key, folder, which)
    turn.next ??= turn.running.then(() => this.#begin(key, folder, which))
    return turn.next
  }

  #begin(key: string, folder: string, which: 'programs' | 'all'): Promise<FoundFiles> {
    const running = this.#search(folder, which)
    const turn: Turn = { running, next: undefined }
    this.#turns.set(key, turn)
    void running.then(() => turn.next === undefined && this.#turns.delete(key))
    return running
  }

  /** Does not reject. */
  async #search(folder: string, which: 'programs' | 'all'): Promise<FoundFiles> {
    const { hidden, isProgram } = this.#parts
    const closed = hidden.filter((one) => !isBelow(folder, one))
    const states = new Map<string, FileState>()
    const open = [folder]
    let seen = 0
    while (open.length > 0) {
      const listings = await Promise.all(open.splice(-ABREAST).map((at) => this.#list(at)))
      const files = listings.flatMap((listing) => (which === 'all' ? listing.files : listing.files.filter(isProgram)))
      for (const { folders, files: all } of listings) {
        seen += folders.length + all.length
        open.push(...folders.filter((path) => !closed.some((one) => isBelow(path, one))))
      }
      if (seen > MOST_ENTRIES) return { states, unsearched: [folder] }
      const found = await Promise.all(files.map(stateAt))
      for (const [i, path] of files.entries()) states.set(path, found[i] ?? UNKNOWN)
    }
    return { states, unsearched: [] }
  }

  /** Lists a folder, if it has changed since it was listed. One that cannot be read is empty. */
  async #list(folder: string): Promise<Listing> {
    const [state, known] = [await stateAt(folder), this.#listings.get(folder)]
    if (known !== undefined && known.version === state.version) return known
    const at = this.#parts.now()
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    const prefix = folder.endsWith(sep) ? folder : folder + sep
    const listing: Listing = {
      version: state.version,
      folders: entries.flatMap((entry) => (entry.isDirectory() ? [prefix + entry.name] : [])),
      files: entries.flatMap((entry) => (entry.isFile() || entry.isSymbolicLink() ? [prefix + entry.name] : [])),
    }
    this.#keep(folder, listing, state !== UNKNOWN && at - state.changed > UNSETTLED_MS)
    return listing
  }

  #keep(folder: string, listing: Listing, isSettled: boolean): void {
    const known = this.#listings.get(folder)
    if (known !== undefined) this.#listed -= known.folders.length + known.files.length
    this.#listings.delete(folder)
    const size = listing.folders.length + listing.files.length
    if (!isSettled || this.#listed + size > MOST_ENTRIES) return
    this.#listings.set(folder, listing)
    this.#listed += size
  }
}

/** Returns the state of a file or folder, or of the link itself if it is broken. A name that is not UTF-8 gets a state that counts as changed. */
async function stateAt(path: string): Promise<FileState> {
  const stats = await stat(path)
    .catch(() => lstat(path))
    .catch(() => undefined)
  if (stats === undefined) return UNKNOWN
  const { dev, ino, size, ctimeMs } = stats
  return { version: `${dev} ${ino} ${size} ${ctimeMs}`, changed: ctimeMs }
}
