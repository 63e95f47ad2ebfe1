import { Buffer } from 'node:buffer'
import { constants } from 'node:fs'
import { chmod, cp, type FileHandle, mkdir, mkdtemp, open, readlink, rename, rm, symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCode } from '../refusals.ts'

/**
 * The reason for removing an entry: it runs automatically, makes a repository, is too deep to be checked, is a socket,
 * pipe or device, has owner bits, is closed by a rule, or its name is not UTF-8.
 */
export type RemovalReason = 'runs' | 'repository' | 'deep' | 'socket' | 'pipe' | 'device' | 'bits' | 'closed' | 'unnamed'

/** An entry that was removed, or that could not be removed. */
export interface RemovedEntry {
  readonly path: string
  readonly what: RemovalReason | 'link' | 'unseen' | 'stays'
  /** Its new path. */
  readonly aside?: string
  readonly why?: string
}

const { O_RDONLY, O_NOFOLLOW, O_DIRECTORY } = constants
/** The Linux flag that opens entries without read permission; Node has no name for it. */
export const O_PATH = 0o10000000

/** Opens a folder that is really at its path; undefined if it was moved or replaced meanwhile. */
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

/**
 * Runs an action in an open folder. Returns undefined if the folder or entry is not at its path any more, and `stays`
 * if the system refuses.
 */
async function inFolder(folder: string, name: string, work: (at: string) => Promise<RemovedEntry>): Promise<RemovedEntry | undefined> {
  await using handle = await folderAt(folder)
  if (handle === undefined) return undefined
  const at = `/proc/self/fd/${handle.fd}/${name}`
  try {
    try {
      return await work(at)
    } catch (thrown) {
      if (systemCode(thrown) !== 'EACCES' && systemCode(thrown) !== 'EPERM') throw thrown
      // The owner cannot change entries of a folder that is closed to the owner, so the folder is opened first.
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

/** Removes an entry from a folder: sockets, pipes and devices are deleted, everything else is moved aside. */
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

/** Removes an entry whose name is not UTF-8: it is renamed first, so that it can be moved. */
export function removeUnnamed(folder: string, name: Buffer, aside: string): Promise<RemovedEntry | undefined> {
  const plain = `reflex-${name.toString('hex').slice(0, 100)}`
  return inFolder(folder, plain, async (at) => {
    await rename(Buffer.concat([Buffer.from(at.slice(0, -plain.length)), name]), at)
    return { path: join(folder, name.toString()), what: 'unnamed', aside: await moveAside(at, plain, aside) }
  })
}

/** Restores a link to its earlier target. */
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
  // Git would find a repository in any folder with a HEAD.
  await rename(join(to, 'HEAD'), join(to, 'HEAD-removed')).catch(() => undefined)
  return to
}

/** Removes the bits that run a program with its owner's permissions. */
export function stripBits(folder: string, name: string, since: number): Promise<RemovedEntry | undefined> {
  return inFolder(folder, name, async (at) => {
    await using file = await open(at, O_PATH | O_NOFOLLOW)
    const { mode, ctimeMs } = await file.stat()
    if (ctimeMs > since) await chmod(`/proc/self/fd/${file.fd}`, mode & 0o777)
    return { path: join(folder, name), what: 'bits' }
  })
}
