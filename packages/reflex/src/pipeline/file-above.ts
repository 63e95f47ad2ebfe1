import { statSync } from 'node:fs'
import { dirname, isAbsolute, join, normalize, resolve } from 'node:path'

/** The file that a program names by a relative path: in its folder, or in the nearest one above that has it. */
export function fileAbove(folder: string, path: string): string | undefined {
  if (isAbsolute(path) || normalize(path).startsWith('..')) return undefined
  for (let at = resolve(folder); ; at = dirname(at)) {
    const file = join(at, path)
    if (isFile(file)) return file
    if (dirname(at) === at) return undefined
  }
}

/** Whatever keeps a file from being looked at, a name that no system takes among it, means that it is not there. */
function isFile(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false
  }
}
