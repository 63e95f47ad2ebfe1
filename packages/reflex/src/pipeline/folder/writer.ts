import { appendFileSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PlacedChange } from './folder.ts'

/**
 * Brings a run's folders to what was told of them. A file is there whole or not at all, and one that is right already is
 * left alone. What a program may have put in the way, a link above all, is never followed. Throws what the disk throws.
 */
export function writeFolder(changes: readonly PlacedChange[]): void {
  const made = new Set<string>()
  for (const { folder, path, text, append } of changes) {
    const file = join(folder, path)
    if (text === undefined) {
      rmSync(file, { force: true })
      continue
    }
    makeFolder(folder, dirname(path), made)
    if (append === true && isFile(file)) appendFileSync(file, text)
    else if (!holds(file, text)) replace(file, text)
  }
}

/** Makes the folders on the way to a file, each of them a folder of its own and no link. */
function makeFolder(root: string, path: string, made: Set<string>): void {
  if (made.has(`${root}\n${path}`)) return
  made.add(`${root}\n${path}`)
  mkdirSync(root, { recursive: true })
  let at = root
  for (const part of path === '.' ? [] : path.split('/')) {
    at = join(at, part)
    const stat = lstatSync(at, { throwIfNoEntry: false })
    if (stat?.isDirectory() === true) continue
    if (stat !== undefined) rmSync(at)
    mkdirSync(at)
  }
}

/** Writes beside the file and renames: a link of its name is replaced, and not followed. */
function replace(file: string, text: string): void {
  const draft = `${file}.tmp`
  rmSync(draft, { force: true })
  writeFileSync(draft, text, { flag: 'wx' })
  renameSync(draft, file)
}

function isFile(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true
}

function holds(file: string, text: string): boolean {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  return stat?.isFile() === true && stat.size === Buffer.byteLength(text) && readFileSync(file, 'utf8') === text
}
