import { readdirSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { autorunCapability, fsCapability } from './capability.ts'
import { namedByRepository } from './leftovers/named-by-git.ts'
import { isRepository, runsByItself } from './leftovers/self-running.ts'
import { absolutePath, type Base, isBelow, realTarget } from './paths.ts'
import type { Place } from './tool.ts'

/**
 * Returns the permissions that writing a file needs: a grant for the path, and another one if the file would run
 * automatically on the host.
 */
export function writeNeeds(path: string, base: Base, place: Place): readonly string[] {
  const asked = absolutePath(path, base, place)
  const real = realTarget(asked)
  return [fsCapability('write', real), ...[...new Set([asked, real])].filter((one) => isSelfRunning(one, place)).map(autorunCapability)]
}

/**
 * True if a program of the host would run a file at this path automatically, or would read settings from it. All tools
 * that write files check this. Below the folders of the run, only the names in them count.
 */
export function isSelfRunning(path: string, place: Place): boolean {
  const root = [place.runFolder, place.workdir].find((folder) => isBelow(path, folder)) ?? '/'
  if (runsByItself(relative(root, path).split('/'))) return true
  if ([place.workdir, dirname(path)].flatMap(namedByRepository).some((named) => isBelow(path, named))) return true
  return foldersBetween(path, root).some(isRepositoryFolder)
}

function foldersBetween(path: string, root: string): readonly string[] {
  const folders: string[] = []
  for (let at = dirname(path); at !== root && isBelow(at, root); at = dirname(at)) folders.push(at)
  return folders
}

function isRepositoryFolder(folder: string): boolean {
  try {
    return isRepository(readdirSync(folder))
  } catch {
    return false
  }
}
