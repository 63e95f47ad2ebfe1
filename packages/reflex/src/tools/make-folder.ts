import { mkdir } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { type OpenFolder, openFolder } from './open-folder.ts'
import { pathExists, realPath } from './paths.ts'
import { requireAccess, systemCode } from './refusals.ts'
import type { ToolCall } from './tool.ts'

/**
 * Opens the folder of a file and creates missing folders step by step. Each step starts at the open folder and follows
 * no link, and at each step the policy checks the real path that the file would get. Throws `R4105` if the policy
 * refuses.
 */
export async function makeFolder(target: string, call: ToolCall): Promise<OpenFolder> {
  let at = dirname(target)
  const missing: string[] = []
  for (; !pathExists(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(basename(at))
  let folder = await openFolder(realPath(at), at, call)
  try {
    requireAccess('write', join(folder.realPath, ...missing, basename(target)), call)
    for (let i = 0; i < missing.length; i++) {
      const step = join(folder.anchoredPath, missing[i] ?? '')
      await mkdir(step).catch((thrown: unknown) => {
        if (systemCode(thrown) !== 'EEXIST') throw thrown
      })
      const next = await openFolder(step, [folder.realPath, missing[i]].join(sep), call)
      await folder.close()
      folder = next
      requireAccess('write', join(folder.realPath, ...missing.slice(i + 1), basename(target)), call)
    }
    return folder
  } catch (thrown) {
    await folder.close()
    throw thrown
  }
}
