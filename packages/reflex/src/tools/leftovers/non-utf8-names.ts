import { Buffer } from 'node:buffer'
import { type Dirent, lstatSync, readdirSync } from 'node:fs'

/** Returns the names in a folder that are no UTF-8: no text leads to them, and no path below them. */
export function nonUtf8Names(folder: string, entries: readonly Dirent[]): readonly Buffer[] {
  if (!entries.some(({ name }) => name.includes('\ufffd'))) return []
  try {
    return readdirSync(folder, { encoding: 'buffer' }).filter((name) => !Buffer.from(name.toString()).equals(name))
  } catch {
    // What was moved meanwhile is found where it is now.
    return []
  }
}

/**
 * Says if something without a name has been made or changed since a time, and matters: a file may stay unless it has an owner's
 * bits, a folder stays when nothing in it has changed.
 */
export function hasChangedNonUtf8(folder: string, name: Buffer, since: number, most: number): boolean {
  const path = Buffer.concat([Buffer.from(`${folder}/`), name])
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isSymbolicLink()) return false
  if (stats.isDirectory()) return hasChangedBelow(path, since, most)
  return stats.ctimeMs > since && (!stats.isFile() || (stats.mode & 0o6000) !== 0)
}

/** More than `most` entries count as changed. */
function hasChangedBelow(top: Buffer, since: number, most: number): boolean {
  const open = [top]
  for (let at = open.pop(), seen = 0; at !== undefined; at = open.pop(), seen++) {
    const stats = lstatSync(at, { throwIfNoEntry: false })
    if (seen > most || (stats !== undefined && stats.ctimeMs > since)) return true
    if (stats?.isDirectory() === true) for (const name of namesIn(at)) open.push(Buffer.concat([at, Buffer.from('/'), name]))
  }
  return false
}

function namesIn(folder: Buffer): readonly Buffer[] {
  try {
    return readdirSync(folder, { encoding: 'buffer' })
  } catch {
    // The command has not closed it, or it would have changed.
    return []
  }
}
