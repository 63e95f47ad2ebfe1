import { unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isFault } from '../kernel/index.ts'
import { readText } from './file/read.ts'
import { makeFolder } from './make-folder.ts'
import { absolutePath, realTarget } from './paths.ts'
import { requireAccess, systemCode, systemFault } from './refusals.ts'
import type { ToolCall } from './tool.ts'

const STATUS = 'status.json'
/** The most bytes of a status file. */
const MOST = 1_000_000

/**
 * Prepares the folder of a stage for a command: the folder exists and contains no status of an earlier command
 * (reference pipeline 6.4). Returns its real path. Throws `R4105` if it may not be written.
 */
export async function openStage(path: string, call: ToolCall): Promise<string> {
  const target = realTarget(join(absolutePath(path, 'run', call), STATUS))
  requireAccess('write', target, call)
  try {
    await using folder = await makeFolder(target, call)
    await unlink(join(folder.anchoredPath, STATUS)).catch((thrown: unknown) => {
      if (systemCode(thrown) !== 'ENOENT') throw thrown
    })
    return folder.realPath
  } catch (thrown) {
    throw systemCode(thrown) === undefined ? thrown : systemFault(thrown, 'folder', path, call)
  }
}

/** Returns the text of the status that a command wrote: empty for a file that cannot be read, undefined if there is none. */
export async function readStatus(stage: string, call: ToolCall): Promise<string | undefined> {
  try {
    return (await readText({ path: join(stage, STATUS), in: 'run', limit: MOST }, call)).text
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    return thrown.code === 'R4106' ? undefined : ''
  }
}

/**
 * True if the folder of a stage is writable for its command: it must be directly in the run's folder. The folders above
 * a deeper one could be exchanged.
 */
export function isWritableStage(stage: string | undefined, runFolder: string): stage is string {
  return stage !== undefined && dirname(stage) === runFolder
}
