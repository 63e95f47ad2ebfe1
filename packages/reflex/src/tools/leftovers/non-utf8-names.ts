import { Buffer } from 'node:buffer'
import { type Dirent, lstatSync, readdirSync } from 'node:fs'

/**
 * Returns the names in a folder that are not UTF-8: such an entry, and everything below it, cannot be addressed by a
 * text path.
 */
export function nonUtf8Names(folder: string, entries: readonly Dirent[]): readonly Buffer[] {
  if (!entries.some(({ name }) => name.includes('\ufffd'))) return []
  try {
    return readdirSync(folder, { encoding: 'buffer' }).filter((name) => !Buffer.from(name.toString()).equals(name))
  } catch {
    // An entry that was moved meanwhile is found at its new path.
    return []
  }
}

/**
 * True if an entry without a UTF-8 name was created or changed since a time and must be removed: a file without owner
 * bits may stay, and a folder stays if nothing in it has changed.
 */
export function hasChangedNonUtf8(folder: string, name: Buffer, since: number, most: number): boolean {
  const path = Buffer.concat([Buffer.from(`${folder}/`), name])
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isSymbolicLink()) return false
  if (stats.isDirectory()) return hasChangedBelow(path, since, most)
  return stats.ctimeMs > since && (!stats.isFile() || (stats.mode & 0o6000) !== 0)
}

/** True if anything below a folder has changed. More than `most` entries count as changed. */
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
    // The command did not close this folder; otherwise the folder would have changed.
    return []
  }
}
