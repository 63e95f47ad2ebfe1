import { readdirSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fsCapability } from './capability.ts'
import { faults } from './faults.ts'
import { isBelow, isFolder, pathExists, realPath } from './paths.ts'
import type { Place, ToolCall } from './tool.ts'

/** A rule of the operator about files: the steps of a path, where null matches any step. */
export interface FileRule {
  readonly use: 'read' | 'write'
  readonly steps: readonly (string | null)[]
  /** True if the rule also covers everything below. */
  readonly below: boolean
}

/** Returns the operator's rules that close files to a run or allow their use on terms. */
export type FileRules = (place: Place) => readonly FileRule[]

/** A path that is hidden or read-only for a command, because its run may not read or write it. */
export interface ClosedPath {
  readonly path: string
  readonly use: FileRule['use']
  readonly isFolder: boolean
}

/**
 * Returns the paths in a command's folders that a rule closes to its run. A tool asks the policy for each file, but a
 * command opens files itself. Throws `R4105` if a rule forbids the run to read a folder that the command must see.
 */
export function closedPaths(rules: readonly FileRule[], roots: readonly string[], call: ToolCall): readonly ClosedPath[] {
  const found = rules.flatMap(({ use, steps, below }) =>
    placesOf(steps, roots).flatMap((path): ClosedPath[] => {
      const folder = isFolder(path)
      // Without `below`, a rule only forbids listing a folder; no mount can do that.
      const applies = (below || !folder) && !call.allows(fsCapability(use, path))
      return applies ? [{ path, use, isFolder: folder }] : []
    }),
  )
  const hiddenRoot = found.find(({ path, use }) => use === 'read' && roots.some((root) => isBelow(root, path)))
  if (hiddenRoot !== undefined) throw faults.make('R4105', `${hiddenRoot.path} must not be read in this run, and the command would see it`)
  // A path that may not be read may not be written either.
  return found.toSorted((a, b) => a.path.length - b.path.length || Number(a.use === 'read') - Number(b.use === 'read'))
}

/** Returns the real paths that a rule names, in or above the given folders. */
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

/**
 * Returns the folders on the path to closed entries. As mounts they cannot be renamed, so the entries stay where the
 * rules find them.
 */
export function foldersAbove(closed: readonly ClosedPath[], root: string): readonly string[] {
  const all = new Set<string>()
  for (const { path } of closed) for (let at = dirname(path); at !== root && isBelow(at, root); at = dirname(at)) all.add(at)
  return [...all].sort((a, b) => a.length - b.length)
}
