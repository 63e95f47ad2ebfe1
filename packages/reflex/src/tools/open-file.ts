import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'
import { faults } from './faults.ts'
import { realPath, shownPath } from './paths.ts'
import { requireAccess, wrongKindFault, systemFault } from './refusals.ts'
import type { ToolCall } from './tool.ts'

// On Windows all but the first are undefined, which a bitwise or takes for nothing.
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/** A file that is open, and where it really is. Say `await using`. */
export class OpenFile {
  readonly handle: FileHandle
  readonly realPath: string

  constructor(handle: FileHandle, real: string) {
    this.handle = handle
    this.realPath = real
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.handle.close()
  }
}

/**
 * Opens a file for reading where it really is. The policy is asked twice: for the path that the links lead to, and for
 * the path that the open file turns out to have, so that exchanging a link in between gains nothing.
 */
export async function openFile(path: string, call: ToolCall): Promise<OpenFile> {
  const asked = realPath(path)
  requireAccess('read', asked, call)
  let handle: FileHandle
  try {
    // Without O_NONBLOCK, opening a pipe waits for somebody to write to it.
    handle = await open(asked, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (thrown) {
    throw systemFault(thrown, 'file', path, call)
  }
  try {
    const stats = await handle.stat()
    const real = await realPathOf(handle, stats, asked, call)
    requireAccess('read', real, call)
    if (!stats.isFile()) throw wrongKindFault('file', path, call)
    return new OpenFile(handle, real)
  } catch (thrown) {
    await handle.close()
    throw thrown
  }
}

/** The path at which something that is open really stands. */
export async function realPathOf(handle: FileHandle, stats: Stats, path: string, call: ToolCall): Promise<string> {
  if (process.platform === 'linux') {
    const found = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)
    if (found !== undefined) return found
  }
  const real = await realpath(path)
  const now = await stat(real)
  if (now.ino === stats.ino && now.dev === stats.dev) return real
  throw faults.make('R4105', `${shownPath(path, call)} was exchanged while it was opened`, { fix: 'try again once nobody changes it' })
}
