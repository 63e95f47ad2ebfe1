import {
  appendFileSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { PlacedChange } from './folder.ts'
import { codeOf, type HeldFolder, holdFolder } from './held-folder.ts'

// On Windows the last two are undefined; a bitwise or reads that as 0.
const { O_APPEND, O_RDONLY, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/**
 * Writes the requested content into a run's folders; nothing else writes below them. A file is written whole or not at all,
 * and a file with the right content is left alone. A command may change names during a write, so every folder is held open,
 * every name is taken from a held folder, and no link is followed. Throws `R2209` where a link is in the place of a folder,
 * and the errors of the disk.
 */
export function writeFolder(changes: readonly PlacedChange[]): void {
  const held = new Map<string, HeldFolder>()
  try {
    for (const { folder: root, path, text, append, again } of changes) {
      const file = holdFolder(join(root, dirname(path)), root, held).at(basename(path))
      if (text === undefined) rmSync(file, { force: true })
      else if (append === true) extend(file, text)
      else if (again === true || !holds(file, text)) replace(file, text)
    }
  } finally {
    for (const folder of held.values()) folder.close()
  }
}

/**
 * Writes beside the file and renames: a link of its name is replaced. What stands in the way is looked for once the disk
 * says that something does, so that a file costs four calls.
 */
function replace(file: string, text: string): void {
  const draft = `${file}.tmp`
  orOnce(['EEXIST'], () => writeFileSync(draft, text, { flag: 'wx' }), draft)
  orOnce(['EISDIR', 'ENOTEMPTY', 'EEXIST', 'EPERM'], () => renameSync(draft, file), file)
}

/** Does something with a name; once more, without what stands there, where the disk refuses with one of these codes. */
function orOnce(codes: readonly string[], act: () => void, name: string): void {
  try {
    act()
  } catch (thrown) {
    if (!codes.includes(codeOf(thrown))) throw thrown
    moveFolderAway(name)
    rmSync(name, { force: true })
    act()
  }
}

/** A command's entry in the place of a file is kept under another name: removing a folder would go through its content. */
function moveFolderAway(path: string): void {
  for (let n = 1; n < 100 && lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true; n++)
    if (lstatSync(`${path}.${n}`, { throwIfNoEntry: false }) === undefined) renameSync(path, `${path}.${n}`)
}

/** Writes at the end of a file. Anything else in its place is replaced. */
function extend(file: string, text: string): void {
  if (withFile(file, O_WRONLY | O_APPEND, (handle) => appendFileSync(handle, text)) === undefined) replace(file, text)
}

function holds(file: string, text: string): boolean {
  const isSame = withFile(
    file,
    O_RDONLY,
    (handle) => fstatSync(handle).size === Buffer.byteLength(text) && readFileSync(handle, 'utf8') === text,
  )
  return isSame?.result === true
}

/** Opens a file and does something with it; undefined where there is no file of that name, or a link, or something else. */
function withFile<Result>(file: string, flags: number, act: (handle: number) => Result): { readonly result: Result } | undefined {
  let handle: number
  try {
    // Without O_NONBLOCK, opening a pipe waits for its other end.
    handle = openSync(file, flags | O_NOFOLLOW | O_NONBLOCK)
  } catch (thrown) {
    if (['ENOENT', 'ELOOP', 'ENXIO', 'EISDIR'].includes(codeOf(thrown))) return undefined
    throw thrown
  }
  try {
    return fstatSync(handle).isFile() ? { result: act(handle) } : undefined
  } finally {
    closeSync(handle)
  }
}
