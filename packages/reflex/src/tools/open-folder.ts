import { constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'
import { realPathOf } from './open-file.ts'
import { wrongKindFault, systemFault } from './refusals.ts'
import type { ToolCall } from './tool.ts'

const { O_RDONLY, O_NOFOLLOW, O_DIRECTORY } = constants

/** An open folder with its real path. Close it, or use `await using`. */
export class OpenFolder {
  readonly realPath: string
  readonly #handle: FileHandle | undefined

  constructor(real: string, handle: FileHandle | undefined) {
    this.realPath = real
    this.#handle = handle
  }

  /**
   * A path that leads to exactly this folder, even if something else took its name meanwhile. Linux has such a path;
   * elsewhere it is the real path, and the remaining race lasts one system call.
   */
  get anchoredPath(): string {
    return process.platform === 'linux' && this.#handle !== undefined ? `/proc/self/fd/${this.#handle.fd}` : this.realPath
  }

  /** Makes new names in the folder durable. */
  async sync(): Promise<void> {
    await this.#handle?.sync()
  }

  async close(): Promise<void> {
    await this.#handle?.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

/** Opens a folder by a path whose last step is not a link. The policy is not asked; the caller asks it. */
export async function openFolder(path: string, shown: string, call: ToolCall): Promise<OpenFolder> {
  // Windows cannot open folders.
  if (process.platform === 'win32') return plainFolder(path, shown, call)
  let handle: FileHandle
  try {
    handle = await open(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY)
  } catch (thrown) {
    throw systemFault(thrown, 'folder', shown, call)
  }
  try {
    return new OpenFolder(await realPathOf(handle, await handle.stat(), path, call), handle)
  } catch (thrown) {
    await handle.close()
    throw thrown
  }
}

async function plainFolder(path: string, shown: string, call: ToolCall): Promise<OpenFolder> {
  const stats = await lstat(path).catch((thrown: unknown) => {
    throw systemFault(thrown, 'folder', shown, call)
  })
  if (!stats.isDirectory()) throw wrongKindFault('folder', shown, call)
  return new OpenFolder(await realpath(path), undefined)
}
