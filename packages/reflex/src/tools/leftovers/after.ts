import type { Buffer } from 'node:buffer'
import { constants, lstatSync } from 'node:fs'
import { chmod, open } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCode } from '../refusals.ts'
import { type Area, type Before, isDoor, type Mark, MOST_ENTRIES } from './before.ts'
import { O_PATH, type Removed, removeAt, removeUnnamed, restoreLink, stripBits, type Taken } from './remove.ts'
import { foldedName } from './self-running.ts'
import { hasChangedUnnamed } from './unnamed.ts'
import { type Found, walk } from './walk.ts'

/** The parts of a clean-up that come from outside. */
export interface Cleaning extends Area {
  readonly before: Before
  /** Milliseconds of the file system's clock when the command was about to begin. */
  readonly since: number
  /** The folder to which removed things are moved, so that nothing of a user who works beside the command is lost. */
  readonly aside: string
  /** True if something that runs by itself may stay. */
  keeps(path: string): boolean
}

/** Rounds of a clean-up: another command of the folder can move things during a round. */
const ROUNDS = 3

/**
 * Removes what a command has left in its folders and must not leave: files that run by themselves on a host and are new,
 * sockets, pipes and devices, and the bits that make a program run with its owner's rights. Older things stay as they are.
 */
export async function cleanAfter(cleaning: Cleaning): Promise<readonly Removed[]> {
  const all: Removed[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { again, removed } = await cleanOnce(cleaning)
    all.push(...removed)
    if (!again) break
  }
  return all
}

async function cleanOnce(cleaning: Cleaning): Promise<{ readonly again: boolean; readonly removed: readonly Removed[] }> {
  const { roots, hidden, before } = cleaning
  const marks = new Map(before.marks.map((mark) => [mark.path, mark]))
  const doors = new Set(before.doors)
  const found: { readonly taken: Taken; readonly at: Found }[] = []
  const unnamed: { readonly folder: string; readonly name: Buffer }[] = []
  const closed: string[] = []
  const removed: Removed[] = []
  for (const root of roots) {
    const seen = await walk(root, {
      ...cleaning,
      most: MOST_ENTRIES * 2,
      see(at) {
        const taken = judged(at, marks, doors, cleaning)
        if (taken !== undefined) found.push({ taken, at })
      },
      enters: (path) => !hidden.includes(path) && !roots.includes(path) && !isStill(marks.get(path)),
      unnamed: (folder, name) => void (hasChangedUnnamed(folder, name, cleaning.since, MOST_ENTRIES) && unnamed.push({ folder, name })),
      closed: (path, code) => void (code === 'EACCES' ? closed.push(path) : removed.push({ path, what: 'unseen', why: code })),
    })
    if (seen > MOST_ENTRIES * 2) removed.push({ path: root, what: 'unseen', why: 'there is too much' })
  }
  const opened = await openedAgain(closed, cleaning.since)
  const results: (Removed | undefined)[] = []
  for (const { taken, at } of found) results.push(await act(taken, at, marks, cleaning))
  for (const { folder, name } of unnamed) results.push(await removeUnnamed(folder, name, cleaning.aside))
  removed.push(...results.filter((result) => result !== undefined))
  // A thing that is gone from its place was moved meanwhile.
  return { again: opened || results.includes(undefined), removed }
}

function act(taken: Taken, at: Found, marks: ReadonlyMap<string, Mark>, { aside, since }: Cleaning): Promise<Removed | undefined> {
  const mark = marks.get(join(at.folder, at.name))
  if (taken === 'bits') return stripBits(at.folder, at.name, since)
  if (mark?.kind === 'link') return restoreLink(at.folder, at.name, mark.link ?? '', aside)
  return removeAt(at.folder, at.name, taken, aside)
}

/** Returns the fault of an entry; undefined where it may stay. */
function judged(at: Found, marks: ReadonlyMap<string, Mark>, doors: ReadonlySet<string>, cleaning: Cleaning): Taken | undefined {
  const path = join(at.folder, at.name)
  if (isDoor(at)) return doors.has(path) ? undefined : at.entry.isSocket() ? 'socket' : at.entry.isFIFO() ? 'pipe' : 'device'
  if (at.runs) {
    const mark = marks.get(at.head ? at.folder : path)
    const stays = isStill(mark) || isMoved(at, cleaning.before) || cleaning.keeps(path)
    return stays ? undefined : at.deep ? 'deep' : at.head ? 'repository' : 'runs'
  }
  return at.entry.isFile() && hasNewBits(path, cleaning.since) ? 'bits' : undefined
}

/** True if a marked entry still stands at its place. An entry that the command could change must also be unchanged. */
function isStill(mark: Mark | undefined): boolean {
  if (mark === undefined) return false
  const stats = lstatSync(mark.path, { throwIfNoEntry: false })
  return stats?.dev === mark.dev && stats.ino === mark.ino && (mark.changed === undefined || mark.changed === stats.ctimeMs)
}

/**
 * True if a folder above was moved together with an entry that was shown read-only there. A file that names a repository
 * would name another one at its new place.
 */
function isMoved({ folder, name, entry, head }: Found, { marks }: Before): boolean {
  if (entry.isSymbolicLink() || (entry.isFile() && !head && foldedName(name) === '.git')) return false
  const stats = lstatSync(head ? folder : join(folder, name), { throwIfNoEntry: false })
  return marks.some(({ dev, ino, changed, kind }) => kind !== 'link' && changed === undefined && dev === stats?.dev && ino === stats.ino)
}

/** Bits by which a program runs with the rights of its owner or group. */
const OWNER_BITS = 0o6000

function hasNewBits(path: string, since: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isFile() === true && (stats.mode & OWNER_BITS) !== 0 && stats.ctimeMs > since
}

/** Opens folders that the command has closed to their owner; returns whether there were any. */
async function openedAgain(folders: readonly string[], since: number): Promise<boolean> {
  let any = false
  for (const folder of folders) any = (await openToOwner(folder, since)) || any
  return any
}

async function openToOwner(path: string, since: number): Promise<boolean> {
  try {
    await using handle = await open(path, O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY)
    const stats = await handle.stat()
    if (stats.ctimeMs <= since) return false
    await chmod(`/proc/self/fd/${handle.fd}`, (stats.mode & 0o777) | 0o700)
    return true
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown
    return false
  }
}
