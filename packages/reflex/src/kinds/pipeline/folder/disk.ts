import { appendFile, close, fstat, mkdir, open, readFile, readlink, realpath, rename, unlink, writeFile } from 'node:fs'
import { promisify } from 'node:util'

/**
 * The disk calls that write run folders beside the event loop. Handles are numbers, because handle objects cost more
 * than the calls.
 */
export const disk = {
  appendFile: promisify(appendFile),
  close: promisify(close),
  fstat: promisify(fstat),
  mkdir: promisify(mkdir),
  open: promisify(open),
  readFile: promisify(readFile),
  readlink: promisify(readlink),
  realpath: promisify(realpath.native),
  rename: promisify(rename),
  unlink: promisify(unlink),
  writeFile: promisify(writeFile),
}

/** Returns the code of an error of the disk. */
export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}
