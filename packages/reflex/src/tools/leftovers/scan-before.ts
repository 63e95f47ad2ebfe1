import { type Dirent, lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Host } from '../../kernel/index.ts'
import { faults } from '../faults.ts'
import { isBelow } from '../paths.ts'
import { type FoundEntry, walk } from './walk.ts'

/** An entry of a writable folder before a command, with the facts that identify it. */
export interface Mark {
  readonly path: string
  readonly dev: number
  readonly ino: number
  readonly kind: 'file' | 'folder' | 'link'
  /** The target of a link. */
  readonly link?: string
  /** The time of the last change, for an entry that the command can change. */
  readonly changed?: number
}

/** The entries before a command that run automatically or that lead out of the folders. */
export interface Before {
  readonly marks: readonly Mark[]
  /** Sockets, pipes and devices: a program of the host may use their other end. */
  readonly doors: readonly string[]
}

/** The folders of a walk, and those that it skips. */
export interface Area {
  /** The folders that a command may write to. */
  readonly roots: readonly string[]
  /** The folders that it may only read: a socket there could still be reached. */
  readonly readable?: readonly string[]
  /** The folders that are hidden from all commands. */
  readonly hidden: readonly string[]
  /** The paths in the working tree that the settings of a repository name. */
  readonly named: readonly string[]
  readonly host: Host
}

/** The most entries of a work folder. */
export const MOST_ENTRIES = 5_000_000
/** The most entries that are shown read-only one by one. */
const MOST_MARKS = 1_000

/** Scans the folders that a command may write to. Throws `R4134` if there are too many entries. */
export async function scanBefore({ roots, readable = [], hidden, named, host }: Area): Promise<Before> {
  const marks: Mark[] = []
  const doors: string[] = []
  for (const root of [...roots, ...readable]) {
    const writable = roots.includes(root)
    const seen = await walk(root, {
      host,
      named,
      most: MOST_ENTRIES,
      onEntry(found) {
        const path = join(found.folder, found.name)
        if (isSpecialFile(found)) doors.push(path)
        if (!writable) return
        if (found.isHead) marks.push(...repositoryMarks(found.folder, root))
        else if (found.isSelfRunning) marks.push(...markOf(path, found.entry, path.slice(root.length).includes('/node_modules/')))
      },
      // Sockets and pipes can be in any folder except among the objects of a repository.
      shouldEnter: (path, inside) => !hidden.includes(path) && !roots.includes(path) && !(inside && path.endsWith('/objects')),
      // The content of such a folder is checked after the command has ended.
      onNonUtf8: () => undefined,
      onClosed: () => undefined,
    })
    if (seen > MOST_ENTRIES || marks.length > MOST_MARKS) throw tooMuch(root)
  }
  return { marks, doors }
}

function tooMuch(root: string): Error {
  return faults.make('R4134', `${root} contains more files than Reflex can protect from a command`, {
    fix: `start in the folder of one project; the limits are ${MOST_ENTRIES} entries, and ${MOST_MARKS} repositories and settings that run automatically`,
  })
}

/** True for a socket, a pipe or a device. */
export function isSpecialFile({ entry }: Pick<FoundEntry, 'entry'>): boolean {
  return !entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink()
}

/**
 * Returns the marks of a repository without a `.git` folder: the folder itself and, if it is the work folder, also the
 * entries in it that run.
 */
function repositoryMarks(folder: string, root: string): readonly Mark[] {
  return [folder, ...(folder === root ? ['config', 'hooks'].map((name) => join(folder, name)) : [])].flatMap((path) => markOf(path))
}

function markOf(path: string, found?: Dirent, replaced = false): readonly Mark[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return []
  const { dev, ino, ctimeMs } = stats
  const entry = found ?? stats
  if (entry.isSymbolicLink()) return [{ path, dev, ino, kind: 'link', link: readlinkSync(path) }]
  if (entry.isDirectory()) return [{ path, dev, ino, kind: 'folder' }]
  // Package managers replace whole folders; a read-only file in them would prevent that.
  return [{ path, dev, ino, kind: 'file', ...(replaced ? { changed: ctimeMs } : {}) }]
}

/** Returns the marks that a command sees read-only, at their real paths. */
export function shownReadOnly({ marks }: Before, roots: readonly string[]): readonly Mark[] {
  const inside = (path: string): boolean => roots.some((root) => path !== root && isBelow(path, root))
  return marks.filter(({ kind, changed, path }) => kind !== 'link' && changed === undefined && inside(path))
}
