import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fsCapability } from '../capability.ts'
import { absolutePath, pathExists, realPath } from '../paths.ts'
import type { Place } from '../tool.ts'

/** A repository, found without git: git would read the settings of any repository that it finds. */
export interface Repository {
  /** The folder with the working tree; for a bare repository, the repository itself. */
  readonly root: string
  readonly gitDir: string
  /** The folder of objects and branches; in an added working tree it differs from `gitDir`. */
  readonly commonDir: string
  /** Every folder that git would read. */
  readonly readFolders: readonly string[]
}

/** Finds the repository of a folder: its own `.git`, or that of the nearest folder above. All paths are real. */
export function findRepository(path: string, place: Place): Repository | undefined {
  const start = realPath(absolutePath(path, 'work', place))
  for (let at = start; ; at = dirname(at)) {
    const gitDir = gitDirOf(at)
    if (gitDir !== undefined) return describe(at, gitDir)
    if (dirname(at) === at) return undefined
  }
}

/** Returns the permissions that reading a repository needs; without a repository, that for the folder itself. */
export function repositoryNeeds(path: string, place: Place): readonly string[] {
  const reads = findRepository(path, place)?.readFolders ?? [realPath(absolutePath(path, 'work', place))]
  return reads.map((folder) => fsCapability('read', folder))
}

function gitDirOf(folder: string): string | undefined {
  const inside = join(folder, '.git')
  const kind = statSync(inside, { throwIfNoEntry: false })
  if (kind?.isDirectory() === true && pathExists(join(inside, 'HEAD'))) return realPath(inside)
  if (kind?.isFile() === true) {
    const [, target] = /^gitdir: (.+)$/m.exec(smallText(inside)) ?? []
    return target === undefined ? undefined : realPath(resolve(folder, target.trim()))
  }
  const bare = ['HEAD', 'objects', 'refs'].every((name) => pathExists(join(folder, name)))
  return bare ? folder : undefined
}

function describe(root: string, gitDir: string): Repository {
  const common = smallText(join(gitDir, 'commondir')).trim()
  const commonDir = common === '' ? gitDir : realPath(resolve(gitDir, common))
  const objects = realPath(join(commonDir, 'objects'))
  const reads = new Set([root, gitDir, commonDir, objects, realPath(join(commonDir, 'refs')), ...alternates(objects, 5)])
  return { root, gitDir, commonDir, readFolders: [...reads] }
}

/** Returns the folders with further objects of a repository. */
export function alternatesOf(gitDir: string): readonly string[] {
  return alternates(realPath(join(gitDir, 'objects')), 5)
}

/** Returns the folders with further objects, and those that these name, as git follows them. */
function alternates(objects: string, depth: number): readonly string[] {
  if (depth === 0) return []
  const lines = smallText(join(objects, 'info', 'alternates')).split('\n')
  const found = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
  return found.flatMap((line) => {
    const folder = realPath(resolve(objects, line))
    return [folder, ...alternates(folder, depth - 1)]
  })
}

function smallText(path: string): string {
  try {
    return statSync(path).size > 65_536 ? '' : readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
