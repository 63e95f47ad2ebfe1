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
 * Replaces the text of a file, completely or not at all: a draft beside the file takes its name once it is on the disk.
 * The mode stays, and so does the owner if the system allows it. `mark` separates the drafts of several processes.
 * Throws `R5040`, and the file is then unchanged. If the path is a link, the link is replaced: pass its target.
 */
export function rewrite(file: string, text: string, mark: string): void {
  const draft = join(dirname(file), `.${basename(file)}.${mark}`)
  try {
    // A file that is not writable must not be replaced either.
    accessSync(file, constants.W_OK)
    write(draft, text, file)
    renameSync(draft, file)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw faults.make('R5040', `${file} cannot be written`, {
      file,
      cause,
      fix: 'grant the permission, or pass the text through standard input: reflex fmt -',
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

/** Restores the owner of a file. Only privileged users can; for all others the file becomes theirs, as with an editor. */
function giveTo(handle: number, uid: number, gid: number): void {
  try {
    fchownSync(handle, uid, gid)
  } catch {
    // The file then keeps its new owner.
  }
}
