import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { fsCapability } from './capability.ts'
import type { Place } from './tool.ts'

/** Where a path begins: the work folder, or the run's own. */
export type Base = 'work' | 'run'

/** An absolute path, without `.` and `..`. Links are not looked at. */
export function absolutePath(path: string, base: Base, place: Place): string {
  return resolve(base === 'run' ? place.runFolder : place.workdir, path)
}

/** Where a path really ends: links are followed as far as it exists; what does not exist yet is kept as written. */
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

/** The real path of a file to be written: a link in its last step is replaced and not followed. */
export function realTarget(path: string): string {
  return join(realPath(dirname(path)), basename(path))
}

/** What reading a path needs. */
export function readCapability(path: string, base: Base, place: Place): string {
  return fsCapability('read', realPath(absolutePath(path, base, place)))
}

/** A path as people know it: below the work folder without the way there. */
export function shownPath(path: string, place: Place): string {
  const inside = relative(place.workdir, path)
  return inside === '' ? '.' : inside === '..' || inside.startsWith('../') || isAbsolute(inside) ? path : inside
}

/** Whether a path is a folder or lies in it, going by the words of both. */
export function isBelow(path: string, folder: string): boolean {
  const inside = relative(folder, path)
  return inside !== '..' && !inside.startsWith('../') && !inside.startsWith('..\\') && !isAbsolute(inside)
}

/** Whether something is there, a link that leads nowhere included. */
export function pathExists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/** Whether a folder is there, and no link to one. */
export function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** How many lines a text has; a line end at its end begins no other. */
export function lineCount(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

/** `1 line`, `2 lines`. */
export function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
