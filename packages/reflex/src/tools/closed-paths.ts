import { readdirSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fsCapability } from './capability.ts'
import { faults } from './faults.ts'
import { isBelow, isFolder, pathExists, realPath } from './paths.ts'
import type { Place, ToolCall } from './tool.ts'

/** A rule of the operator about files: the steps of a path, of which null is any one. */
export interface FileRule {
  readonly use: 'read' | 'write'
  readonly steps: readonly (string | null)[]
  /** It covers all that lies below as well. */
  readonly below: boolean
}

/** Rules of the operator that keep files from a run, or let it use them on terms. */
export type FileRules = (place: Place) => readonly FileRule[]

/** Something that a command sees otherwise than it is, because its run may not read or write it. */
export interface ClosedPath {
  readonly path: string
  readonly use: FileRule['use']
  readonly isFolder: boolean
}

/**
 * What lies in the folders of a command and is kept from its run by a rule: a tool asks the policy for each file, and a command
 * opens files by itself. Throws `R4105` where a rule keeps the run from reading a folder that the command has to see.
 */
export function closedPaths(rules: readonly FileRule[], roots: readonly string[], call: ToolCall): readonly ClosedPath[] {
  const found = rules.flatMap(({ use, steps, below }) =>
    placesOf(steps, roots).flatMap((path): ClosedPath[] => {
      const folder = isFolder(path)
      // Without what lies below, a rule keeps a folder from being listed, which no mount can do.
      const applies = (below || !folder) && !call.allows(fsCapability(use, path))
      return applies ? [{ path, use, isFolder: folder }] : []
    }),
  )
  const hiddenRoot = found.find(({ path, use }) => use === 'read' && roots.some((root) => isBelow(root, path)))
  if (hiddenRoot !== undefined) throw faults.make('R4105', `${hiddenRoot.path} may not be read here, and the command would see it`)
  // One that is not to be read is not to be written either.
  return found.toSorted((a, b) => a.path.length - b.path.length || Number(a.use === 'read') - Number(b.use === 'read'))
}

/** The real paths in or above some folders that a rule names. */
function placesOf(steps: FileRule['steps'], roots: readonly string[]): readonly string[] {
  const leads = (path: string): boolean => roots.some((root) => isBelow(root, path) || isBelow(path, root))
  let found: readonly string[] = [sep]
  for (const step of steps) {
    found = found.filter(isFolder).flatMap((folder) => (step === null ? namesIn(folder) : [step]).map((name) => join(folder, name)))
    found = [...new Set(found.filter(pathExists).map(realPath))].filter(leads)
  }
  return found
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The folders on the way to what is closed: as mounts they cannot be renamed, so that it stays where its rule finds it. */
export function foldersAbove(closed: readonly ClosedPath[], root: string): readonly string[] {
  const all = new Set<string>()
  for (const { path } of closed) for (let at = dirname(path); at !== root && isBelow(at, root); at = dirname(at)) all.add(at)
  return [...all].sort((a, b) => a.length - b.length)
}
