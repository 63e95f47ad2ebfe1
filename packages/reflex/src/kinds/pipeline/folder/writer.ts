import { constants, lstatSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { codeOf, disk } from './disk.ts'
import type { PlacedChange } from './folder.ts'
import { type OpenFolders, openFolder } from './open-folder.ts'

// On Windows the last two are undefined; a bitwise or reads that as 0.
const { O_APPEND, O_RDONLY, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/** The number of files after which the open folders are closed: a process can only open a limited number. */
const FOLDERS_AT_ONCE = 64
/** The number of files that are written at the same time. */
const AT_ONCE = 8

/**
 * Writes changes into a run's folders, beside the event loop; nothing else writes below them. A file is written
 * completely or not at all, and a file with the right content is left unchanged. Moves come first. Files directly in a
 * run's folder describe the files below it and are written after them. A command may change names during a write, so
 * every folder stays open, every name is resolved in an open folder, and no link is followed. Throws `R2209` if a link
 * is in the place of a folder, and the errors of the disk; no write is then in progress.
 */
export async function writeFolder(changes: readonly PlacedChange[]): Promise<void> {
  const below = changes.filter(({ path }) => path.includes('/'))
  const above = changes.filter(({ path }) => !path.includes('/'))
  for (let i = 0; i === 0 || i < below.length; i += FOLDERS_AT_ONCE) {
    const isLast = i + FOLDERS_AT_ONCE >= below.length
    await withOpenFolders(async (held) => {
      const some = below.slice(i, i + FOLDERS_AT_ONCE)
      const isMove = ({ from }: PlacedChange): boolean => from !== undefined
      await writeAll(some.filter(isMove), held)
      await writeAll(
        some.filter((change) => !isMove(change)),
        held,
      )
      if (isLast) for (const change of above) await write(change, held)
    })
  }
}

async function withOpenFolders(act: (held: OpenFolders) => Promise<void>): Promise<void> {
  const held: OpenFolders = new Map()
  try {
    await act(held)
  } finally {
    for (const folder of await Promise.allSettled(held.values())) if (folder.status === 'fulfilled') await folder.value.close()
  }
}

/** Writes all changes. Throws the first failure once every started write has ended. */
async function writeAll(changes: readonly PlacedChange[], held: OpenFolders): Promise<void> {
  const waiting = changes.values()
  const lane = async (): Promise<void> => {
    for (const change of waiting) await write(change, held)
  }
  for (const result of await Promise.allSettled(Array.from({ length: AT_ONCE }, lane)))
    if (result.status === 'rejected') throw result.reason
}

async function write({ folder: root, path, text, append, again, from }: PlacedChange, held: OpenFolders): Promise<void> {
  const nameOf = async (of: string): Promise<string> => (await openFolder(join(root, dirname(of)), root, held)).at(basename(of))
  const file = await nameOf(path)
  if (from !== undefined && (await isMoved(await nameOf(from), file))) return
  if (text === undefined) await remove(file)
  else if (append === true) await extend(file, text)
  else if (again === true || !(await hasText(file, text))) await replace(file, text)
}

/** Moves a file. Returns false if it does not exist. */
async function isMoved(from: string, to: string): Promise<boolean> {
  try {
    await disk.rename(from, to)
    return true
  } catch {
    return false
  }
}

async function remove(file: string): Promise<void> {
  await disk.unlink(file).catch((thrown: unknown) => {
    if (codeOf(thrown) !== 'ENOENT') throw thrown
  })
}

/**
 * Writes a draft beside the file and renames it: a link of that name is replaced. It only looks for an obstacle after
 * the disk refuses, so that a file costs four calls.
 */
async function replace(file: string, text: string): Promise<void> {
  const draft = `${file}.tmp`
  await orOnce(['EEXIST'], () => disk.writeFile(draft, text, { flag: 'wx' }), draft)
  await orOnce(['EISDIR', 'ENOTEMPTY', 'EEXIST', 'EPERM'], () => disk.rename(draft, file), file)
}

/**
 * Performs an action on a name. If the disk refuses with one of these codes, removes the obstacle and performs the
 * action once more.
 */
async function orOnce(codes: readonly string[], act: () => Promise<void>, name: string): Promise<void> {
  try {
    await act()
  } catch (thrown) {
    if (!codes.includes(codeOf(thrown))) throw thrown
    moveFolderAway(name)
    rmSync(name, { force: true })
    await act()
  }
}

/** Renames a folder that a command made in the place of a file: removing it would walk through its content. */
function moveFolderAway(path: string): void {
  for (let n = 1; n < 100 && lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true; n++)
    if (lstatSync(`${path}.${n}`, { throwIfNoEntry: false }) === undefined) renameSync(path, `${path}.${n}`)
}

/** Appends to a file. Anything else in its place is replaced. */
async function extend(file: string, text: string): Promise<void> {
  const written = await withFile(file, O_WRONLY | O_APPEND, (handle) => disk.appendFile(handle, text))
  if (written === undefined) await replace(file, text)
}

async function hasText(file: string, text: string): Promise<boolean> {
  const isSame = await withFile(
    file,
    O_RDONLY,
    async (handle) => (await disk.fstat(handle)).size === Buffer.byteLength(text) && (await disk.readFile(handle, 'utf8')) === text,
  )
  return isSame?.result === true
}

/** Opens a file and performs an action. Returns undefined if the name is missing, a link, or not a file. */
async function withFile<Result>(
  file: string,
  flags: number,
  act: (handle: number) => Promise<Result>,
): Promise<{ readonly result: Result } | undefined> {
  let handle: number
  try {
    // Without O_NONBLOCK, opening a pipe waits for its other end.
    handle = await disk.open(file, flags | O_NOFOLLOW | O_NONBLOCK)
  } catch (thrown) {
    if (['ENOENT', 'ELOOP', 'ENXIO', 'EISDIR'].includes(codeOf(thrown))) return undefined
    throw thrown
  }
  try {
    return (await disk.fstat(handle)).isFile() ? { result: await act(handle) } : undefined
  } finally {
    await disk.close(handle)
  }
}
