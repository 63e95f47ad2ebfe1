import { statSync } from 'node:fs'
import { dirname, isAbsolute, join, normalize, resolve } from 'node:path'
import { isBelow, realPath } from '../tools/paths.ts'

/** The places in which programs find the files that they name. */
export interface ProgramPlaces {
  /** Real paths: a found file must be inside one of them after links are resolved. */
  readonly roots: readonly string[]
  /** True if the policy denies everybody reading a file, by its real path. */
  readonly denied?: ((real: string) => boolean) | undefined
}

/**
 * Returns the real path of a file that a program names by a relative path: in its folder, or in the nearest folder above it.
 * The search ends at the roots; a link out of them finds nothing.
 */
export function fileAbove(folder: string, path: string, places: ProgramPlaces): string | undefined {
  if (isAbsolute(path) || normalize(path).startsWith('..')) return undefined
  for (let at = realPath(resolve(folder)); places.roots.some((root) => isBelow(at, root)); at = dirname(at)) {
    const file = join(at, path)
    if (isFile(file)) return placed(file, places)
    if (dirname(at) === at) return undefined
  }
  return undefined
}

/** Returns the real path of a file that may be used as a program; undefined for any other file. */
export function placed(file: string, { roots, denied }: ProgramPlaces): string | undefined {
  const real = realPath(file)
  return roots.some((root) => isBelow(real, root)) && denied?.(real) !== true ? real : undefined
}

/** True for a file. False for any path that cannot be examined, such as a name that the system does not accept. */
function isFile(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false
  }
}
