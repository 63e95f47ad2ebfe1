import { Buffer } from 'node:buffer'
import { constants } from 'node:fs'
import { chmod, cp, type FileHandle, mkdir, mkdtemp, open, readlink, rename, rm, symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCode } from '../refusals.ts'

/** Why something is removed: it runs by itself, makes a repository, lies too deep to be looked at, is a door to another program, has an owner's bits, a rule closes its path, or its name is no UTF-8. */
export type RemovalReason = 'runs' | 'repository' | 'deep' | 'socket' | 'pipe' | 'device' | 'bits' | 'closed' | 'unnamed'

/** An entry that was removed, or that could not be. */
export interface RemovedEntry {
  readonly path: string
  readonly what: RemovalReason | 'link' | 'unseen' | 'stays'
  /** Its new place. */
  readonly aside?: string
  readonly why?: string
}

const { O_RDONLY, O_NOFOLLOW, O_DIRECTORY } = constants
/** By this flag Linux opens entries that may not be read; Node has no name for it. */
export const O_PATH = 0o10000000

/** Opens a folder that really is at its path; undefined where it was moved or replaced meanwhile. */
async function folderAt(path: string): Promise<FileHandle | undefined> {
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY).catch((thrown: unknown) => {
    if (systemCode(thrown) === undefined) throw thrown
    return undefined
  })
  if (handle === undefined) return undefined
  if ((await readlink(`/proc/self/fd/${handle.fd}`)) === path) return handle
  await handle.close()
  return undefined
}

/** Runs an action in an open folder; undefined where folder or entry is gone from its place, `stays` where the system refuses. */
async function inFolder(folder: string, name: string, work: (at: string) => Promise<RemovedEntry>): Promise<RemovedEntry | undefined> {
  await using handle = await folderAt(folder)
  if (handle === undefined) return undefined
  const at = `/proc/self/fd/${handle.fd}/${name}`
  try {
    try {
      return await work(at)
    } catch (thrown) {
      if (systemCode(thrown) !== 'EACCES' && systemCode(thrown) !== 'EPERM') throw thrown
      // A folder that was closed to its owner keeps its entries.
      const { mode } = await handle.stat()
      await handle.chmod((mode & 0o7777) | 0o700)
      return await work(at)
    }
  } catch (thrown) {
    const code = systemCode(thrown)
    if (code === undefined) throw thrown
    return code === 'ENOENT' ? undefined : { path: join(folder, name), what: 'stays', why: code }
  }
}

/** Takes an entry out of a folder: a door is removed, everything else is moved aside. */
export function removeAt(folder: string, name: string, what: RemovalReason, aside: string): Promise<RemovedEntry | undefined> {
  const path = join(folder, name)
  return inFolder(folder, name, async (at) => {
    if (what === 'socket' || what === 'pipe' || what === 'device') {
      await unlink(at)
      return { path, what }
    }
    return { path, what, aside: await moveAside(at, name, aside) }
  })
}

/** Takes something out of a folder whose name is no UTF-8; with another name first, by which it can be moved. */
export function removeUnnamed(folder: string, name: Buffer, aside: string): Promise<RemovedEntry | undefined> {
  const plain = `reflex-${name.toString('hex').slice(0, 100)}`
  return inFolder(folder, plain, async (at) => {
    await rename(Buffer.concat([Buffer.from(at.slice(0, -plain.length)), name]), at)
    return { path: join(folder, name.toString()), what: 'unnamed', aside: await moveAside(at, plain, aside) }
  })
}

/** Gives a link of before its place again. */
export function restoreLink(folder: string, name: string, target: string, aside: string): Promise<RemovedEntry | undefined> {
  return inFolder(folder, name, async (at) => {
    const moved = await moveAside(at, name, aside)
    await symlink(target, at)
    return { path: join(folder, name), what: 'link', aside: moved }
  })
}

async function moveAside(at: string, name: string, aside: string): Promise<string> {
  await mkdir(aside, { recursive: true, mode: 0o700 })
  const plain = name
    .replace(/[^\w.-]/g, '_')
    .replace(/^\.+/, '')
    .slice(0, 60)
  const to = join(await mkdtemp(join(aside, `${plain}-`)), plain || 'file')
  await rename(at, to).catch(async (thrown: unknown) => {
    if (systemCode(thrown) !== 'EXDEV') throw thrown
    await cp(at, to, { recursive: true, verbatimSymlinks: true })
    await rm(at, { recursive: true, force: true })
  })
  // In a folder with a HEAD, git would find a repository at any place.
  await rename(join(to, 'HEAD'), join(to, 'HEAD-removed')).catch(() => undefined)
  return to
}

/** Removes the bits that run a program with its owner's rights. */
export function stripBits(folder: string, name: string, since: number): Promise<RemovedEntry | undefined> {
  return inFolder(folder, name, async (at) => {
    await using file = await open(at, O_PATH | O_NOFOLLOW)
    const { mode, ctimeMs } = await file.stat()
    if (ctimeMs > since) await chmod(`/proc/self/fd/${file.fd}`, mode & 0o777)
    return { path: join(folder, name), what: 'bits' }
  })
}
