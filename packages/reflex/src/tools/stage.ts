import { unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isFault } from '../kernel/index.ts'
import { readText } from './file/read.ts'
import { makeFolder } from './make-folder.ts'
import { absolutePath, realTarget } from './paths.ts'
import { requireAccess, systemCode, systemFault } from './refusals.ts'
import type { ToolCall } from './tool.ts'

const STATUS = 'status.json'
/** Bytes of a status file. */
const MOST = 1_000_000

/**
 * Makes the folder of a stage ready for a command: it is there, and holds no status of an earlier one (reference pipeline
 * 6.4). Its real path. `R4105` where it may not be written.
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

/** What a command has written as its status: the text, empty for what is no readable file, undefined for nothing. */
export async function readStatus(stage: string, call: ToolCall): Promise<string | undefined> {
  try {
    return (await readText({ path: join(stage, STATUS), in: 'run', limit: MOST }, call)).text
  } catch (thrown) {
    if (!isFault(thrown)) throw thrown
    return thrown.code === 'R4106' ? undefined : ''
  }
}

/** The folder of a stage is writable for its command where it lies directly in the run's: deeper, the folders above it could be exchanged. */
export function isWritableStage(stage: string | undefined, runFolder: string): stage is string {
  return stage !== undefined && dirname(stage) === runFolder
}
