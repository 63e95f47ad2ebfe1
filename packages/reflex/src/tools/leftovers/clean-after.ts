import type { Buffer } from 'node:buffer'
import { constants, lstatSync, readlinkSync } from 'node:fs'
import { chmod, open } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCode } from '../refusals.ts'
import { type Area, type Before, isSpecialFile, type Mark, MOST_ENTRIES } from './scan-before.ts'
import { O_PATH, type RemovedEntry, removeAt, removeUnnamed, restoreLink, stripBits, type RemovalReason } from './remove.ts'
import { foldedName } from './self-running.ts'
import { hasChangedNonUtf8 } from './non-utf8-names.ts'
import { type FoundEntry, walk } from './walk.ts'

/** The settings of a clean-up. */
export interface CleanUp extends Area {
  readonly before: Before
  /** The time before the command started, in milliseconds of the file system's clock. */
  readonly since: number
  /** The folder to which removed entries are moved, so that nothing of a user who works at the same time is lost. */
  readonly aside: string
  /** True if an entry that runs automatically may stay. */
  mayStay(path: string): boolean
}

/** The most rounds of a clean-up: another command in the folder can move entries during a round. */
const ROUNDS = 3

/**
 * Removes entries that a command left in its folders and must not leave: new files that run automatically on a host,
 * sockets, pipes and devices, and the bits that run a program with its owner's permissions. Older entries stay.
 */
export async function cleanAfter(cleanUp: CleanUp): Promise<readonly RemovedEntry[]> {
  const all: RemovedEntry[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { again, removed } = await cleanOnce(cleanUp)
    all.push(...removed)
    if (!again) break
  }
  return all
}

async function cleanOnce(cleanUp: CleanUp): Promise<{ readonly again: boolean; readonly removed: readonly RemovedEntry[] }> {
  const { roots, hidden, before } = cleanUp
  const marks = new Map(before.marks.map((mark) => [mark.path, mark]))
  const doors = new Set(before.doors)
  const found: { readonly taken: RemovalReason; readonly at: FoundEntry }[] = []
  const unnamed: { readonly folder: string; readonly name: Buffer }[] = []
  const closed: string[] = []
  const removed: RemovedEntry[] = []
  for (const root of roots) {
    const seen = await walk(root, {
      ...cleanUp,
      most: MOST_ENTRIES * 2,
      onEntry(at) {
        const reason = removalReason(at, marks, doors, cleanUp)
        if (reason !== undefined) found.push({ taken: reason, at })
      },
      shouldEnter: (path) => !hidden.includes(path) && !roots.includes(path) && !isUnchanged(marks.get(path)),
      onNonUtf8: (folder, name) => void (hasChangedNonUtf8(folder, name, cleanUp.since, MOST_ENTRIES) && unnamed.push({ folder, name })),
      onClosed: (path, code) => void (code === 'EACCES' ? closed.push(path) : removed.push({ path, what: 'unseen', why: code })),
    })
    if (seen > MOST_ENTRIES * 2) removed.push({ path: root, what: 'unseen', why: 'there is too much' })
  }
  const opened = await reopenFolders(closed, cleanUp.since)
  const results: (RemovedEntry | undefined)[] = []
  for (const { taken, at } of found) results.push(await removeFound(taken, at, marks, cleanUp))
  for (const { folder, name } of unnamed) results.push(await removeUnnamed(folder, name, cleanUp.aside))
  removed.push(...results.filter((result) => result !== undefined))
  // An entry that is missing at its path was moved meanwhile.
  return { again: opened || results.includes(undefined), removed }
}

function removeFound(
  reason: RemovalReason,
  at: FoundEntry,
  marks: ReadonlyMap<string, Mark>,
  { aside, since }: CleanUp,
): Promise<RemovedEntry | undefined> {
  const mark = marks.get(join(at.folder, at.name))
  if (reason === 'bits') return stripBits(at.folder, at.name, since)
  if (mark?.kind === 'link') return restoreLink(at.folder, at.name, mark.link ?? '', aside)
  return removeAt(at.folder, at.name, reason, aside)
}

/** Returns the reason for removing an entry; undefined if it may stay. */
function removalReason(
  at: FoundEntry,
  marks: ReadonlyMap<string, Mark>,
  doors: ReadonlySet<string>,
  cleanUp: CleanUp,
): RemovalReason | undefined {
  const path = join(at.folder, at.name)
  if (isSpecialFile(at)) return doors.has(path) ? undefined : at.entry.isSocket() ? 'socket' : at.entry.isFIFO() ? 'pipe' : 'device'
  if (at.isSelfRunning) {
    const mark = marks.get(at.isHead ? at.folder : path)
    const stays = isUnchanged(mark) || isMoved(at, cleanUp.before) || cleanUp.mayStay(path)
    return stays ? undefined : at.isTooDeep ? 'deep' : at.isHead ? 'repository' : 'runs'
  }
  return at.entry.isFile() && hasNewBits(path, cleanUp.since) ? 'bits' : undefined
}

/** True if a marked entry is still at its path. An entry that the command could change must also be unchanged. */
function isUnchanged(mark: Mark | undefined): boolean {
  if (mark === undefined) return false
  const stats = lstatSync(mark.path, { throwIfNoEntry: false })
  if (stats?.dev !== mark.dev || stats.ino !== mark.ino) return false
  // A new link can get the inode of the one that it replaces.
  return mark.kind === 'link' ? linkTarget(mark.path) === mark.link : mark.changed === undefined || mark.changed === stats.ctimeMs
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/**
 * True if a folder above was moved together with an entry that was shown read-only there. A file that names a
 * repository is excluded: it would name another repository at its new path.
 */
function isMoved({ folder, name, entry, isHead }: FoundEntry, { marks }: Before): boolean {
  if (entry.isSymbolicLink() || (entry.isFile() && !isHead && foldedName(name) === '.git')) return false
  const stats = lstatSync(isHead ? folder : join(folder, name), { throwIfNoEntry: false })
  return marks.some(({ dev, ino, changed, kind }) => kind !== 'link' && changed === undefined && dev === stats?.dev && ino === stats.ino)
}

/** The bits that run a program with the permissions of its owner or group. */
const OWNER_BITS = 0o6000

function hasNewBits(path: string, since: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats?.isFile() === true && (stats.mode & OWNER_BITS) !== 0 && stats.ctimeMs > since
}

/** Opens folders that the command closed to their owner. Returns true if there were any. */
async function reopenFolders(folders: readonly string[], since: number): Promise<boolean> {
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
