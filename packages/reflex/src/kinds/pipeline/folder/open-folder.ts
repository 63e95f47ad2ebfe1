import { constants, lstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Fault } from '../../../kernel/index.ts'
import { pipelineFaults } from '../contract/faults.ts'
import { codeOf, disk } from './disk.ts'

// On Windows all but the first are undefined; a bitwise or reads that as 0.
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants

/**
 * A folder that stays open while files are written into it. Its names lead into this same folder, even if its path is
 * replaced meanwhile. Only Linux has such names; elsewhere, where no command is confined, they are plain paths.
 */
export class OpenFolder {
  readonly path: string
  readonly #handle: number | undefined

  constructor(path: string, handle: number | undefined) {
    this.path = path
    this.#handle = handle
  }

  /** Returns the path of a name in this folder. */
  at(name: string): string {
    return join(process.platform === 'linux' && this.#handle !== undefined ? `/proc/self/fd/${this.#handle}` : this.path, name)
  }

  async close(): Promise<void> {
    if (this.#handle !== undefined) await disk.close(this.#handle)
  }
}

/** The open folders, by their paths. */
export type OpenFolders = Map<string, Promise<OpenFolder>>

/**
 * Opens a folder at a path without links, and creates its missing parts. Below `root`, a file or link in the place of a
 * folder is removed; outside, nothing is removed. `held` has the open folders: the opened folders are added to it, and
 * its owner closes all of them. Throws `R2209` for a link, and the errors of the disk.
 */
export function openFolder(path: string, root: string, held: OpenFolders): Promise<OpenFolder> {
  const known = held.get(path)
  if (known !== undefined) return known
  const folder = tryOpen(path, path).then((found) => found ?? makeFolder(path, root, held))
  held.set(path, folder)
  return folder
}

async function makeFolder(path: string, root: string, held: OpenFolders): Promise<OpenFolder> {
  if (dirname(path) === path) throw notAFolder(path)
  const step = (await openFolder(dirname(path), root, held)).at(basename(path))
  if (!(await isMade(step)) && path.length > root.length) {
    await removeUnlessFolder(step)
    await isMade(step)
  }
  const made = await tryOpen(step, path)
  if (made === undefined) throw notAFolder(path)
  return made
}

/** Opens the folder at a path if it is one, and if it really stands where it is `wanted`. */
async function tryOpen(path: string, wanted: string): Promise<OpenFolder | undefined> {
  const handle = await openHandle(path)
  if (handle === undefined) return undefined
  if ((await placeOf(path, handle)) === wanted) return new OpenFolder(wanted, handle === WITHOUT_HANDLE ? undefined : handle)
  if (handle !== WITHOUT_HANDLE) await disk.close(handle)
  return undefined
}

/** The handle on Windows, which cannot open folders. */
const WITHOUT_HANDLE = -1

async function openHandle(path: string): Promise<number | undefined> {
  if (process.platform === 'win32') return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? WITHOUT_HANDLE : undefined
  try {
    return await disk.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(thrown))) return undefined
    throw thrown
  }
}

function placeOf(path: string, handle: number): Promise<string> {
  return process.platform === 'linux' ? disk.readlink(`/proc/self/fd/${handle}`) : disk.realpath(path)
}

async function removeUnlessFolder(path: string): Promise<void> {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat !== undefined && !stat.isDirectory()) await disk.unlink(path)
}

/** Creates a folder. Returns false if the name exists. */
async function isMade(path: string): Promise<boolean> {
  try {
    await disk.mkdir(path)
    return true
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw thrown
    return false
  }
}

function notAFolder(path: string): Fault {
  return pipelineFaults.make('R2209', `${path} is a link or a file; the path of a run folder must consist of folders`, {
    severity: 'warning',
    file: path,
    fix: 'remove it, or name another folder with --logs',
  })
}
