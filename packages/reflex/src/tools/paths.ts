import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fsCapability } from './capability.ts'
import type { Place } from './tool.ts'

/** The folder at which a path starts: the work folder or the run's folder. */
export type Base = 'work' | 'run'

/** Returns an absolute path without `.` and `..`. Links are not followed. */
export function absolutePath(path: string, base: Base, place: Place): string {
  return resolve(base === 'run' ? place.runFolder : place.workdir, path)
}

/** Returns the real path: links are followed as far as the path exists; the missing rest stays as written. */
export function realPath(path: string): string {
  const missing: string[] = []
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(realpathSync.native(at), ...missing)
    } catch {
      if (dirname(at) === at) return path
      missing.unshift(basename(at))
    }
  }
}

/** Returns the real path of a file to write: a link in its last step is replaced, not followed. */
export function realTarget(path: string): string {
  return join(realPath(dirname(path)), basename(path))
}

/** Returns the capability that reading a path needs. */
export function readCapability(path: string, base: Base, place: Place): string {
  return fsCapability('read', realPath(absolutePath(path, base, place)))
}

/** Returns a path for people: relative if it is below the work folder. */
export function shownPath(path: string, place: Place): string {
  const inside = relative(place.workdir, path)
  return inside === '' ? '.' : inside === '..' || inside.startsWith('../') || isAbsolute(inside) ? path : inside
}

/** True if a path is a folder or is below it, by the text of both. */
export function isBelow(path: string, folder: string): boolean {
  const inside = relative(folder, path)
  return inside !== '..' && !inside.startsWith('../') && !inside.startsWith('..\\') && !isAbsolute(inside)
}

/** True if an entry exists, even a link to a missing target. */
export function pathExists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** True if a folder exists and is not a link. */
export function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Returns the number of lines of a text; a final line end starts no further line. */
export function lineCount(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

/** Returns a count with its noun: `1 line`, `2 lines`. */
export function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/**
 * Returns the folder that a user names for a run, with links followed as far as the work folder: a command of an earlier run can
 * have made a link below it, so there the path stays as written. Both paths are absolute, the work folder real.
 */
export function realRoot(folder: string, workdir: string): string {
  const parts = folder.split(sep)
  for (let taken = 1; taken <= parts.length; taken++) {
    const real = realPath(parts.slice(0, taken).join(sep) || sep)
    if (isBelow(real, workdir)) return join(real, ...parts.slice(taken))
  }
  return realPath(folder)
}
