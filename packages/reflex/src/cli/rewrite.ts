import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { faults } from '../runs/faults.ts'

/**
 * Puts a text in the place of a file's, whole or not at all: a draft beside it takes its name once it is on the disk. Mode and,
 * as far as the system lets us, owner stay. `mark` keeps drafts of several processes apart. Throws `R5040`; the file is then as
 * it was. Where the path is a link, the link is replaced: pass what it leads to.
 */
export function rewrite(file: string, text: string, mark: string): void {
  const draft = join(dirname(file), `.${basename(file)}.${mark}`)
  try {
    // A file that may not be written must not be replaced either.
    accessSync(file, constants.W_OK)
    write(draft, text, file)
    renameSync(draft, file)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw faults.make('R5040', `${file} cannot be written`, {
      file,
      cause,
      fix: 'grant the permission, or format it through: reflex fmt -',
    })
  }
}

function write(draft: string, text: string, like: string): void {
  const { mode, uid, gid } = statSync(like)
  const handle = openSync(draft, 'wx', 0o600)
  try {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
    const draftStats = statSync(draft)
    if (draftStats.uid !== uid || draftStats.gid !== gid) giveTo(handle, uid, gid)
    fchmodSync(handle, mode & 0o7777)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Only some may give files away; for all others the file becomes theirs, as with an editor. */
function giveTo(handle: number, uid: number, gid: number): void {
  try {
    fchownSync(handle, uid, gid)
  } catch {
    // Nothing else depends on it.
  }
}
