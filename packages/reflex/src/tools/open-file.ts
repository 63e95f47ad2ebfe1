import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'
import { faults } from './faults.ts'
import { realPath, shownPath } from './paths.ts'
import { requireAccess, wrongKindFault, systemFault } from './refusals.ts'
import type { ToolCall } from './tool.ts'

// On Windows all but the first are undefined, which count as 0 in a bitwise or.
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/** An open file with its real path. Use `await using`. */
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
 * Opens a file for reading at its real path. The policy is asked twice: for the path after following links, and for the
 * path of the open file, so that exchanging a link in between has no effect.
 */
export async function openFile(path: string, call: ToolCall): Promise<OpenFile> {
  const asked = realPath(path)
  requireAccess('read', asked, call)
  let handle: FileHandle
  try {
    // Without O_NONBLOCK, opening a pipe waits for a writer.
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

/** Returns the real path of an open file or folder. */
export async function realPathOf(handle: FileHandle, stats: Stats, path: string, call: ToolCall): Promise<string> {
  if (process.platform === 'linux') {
    const found = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)
    if (found !== undefined) return found
  }
  const real = await realpath(path)
  const now = await stat(real)
  if (now.ino === stats.ino && now.dev === stats.dev) return real
  throw faults.make('R4105', `${shownPath(path, call)} was replaced while it was opened`, {
    fix: 'try again when no other process changes it',
  })
}
