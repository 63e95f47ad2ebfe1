import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HASH } from './ref-names.ts'

/** The references, logs and temporary state of a repository, read from its files without git. */
export interface RefState {
  /** The text of the file: `ref: refs/heads/main` or a hash. */
  readonly head: string
  /** The hash by name. */
  readonly refs: ReadonlyMap<string, string>
  /** The text by name, such as `HEAD` or `refs/heads/main`. */
  readonly logs: ReadonlyMap<string, string>
  /** The text of `MERGE_HEAD` and similar files, by name. */
  readonly marks: ReadonlyMap<string, string>
  /** The text of settings by name. */
  readonly settings: ReadonlyMap<string, string>
}

/** The files that control git; changes of them are never applied. */
const SETTINGS: readonly string[] = ['config', 'config.worktree', 'info/exclude', 'info/attributes', 'info/sparse-checkout', 'info/grafts']

/** The files with commits that git remembers besides the branches. */
export const MARK_FILES: readonly string[] = ['ORIG_HEAD', 'MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD']
/** The files that are removed with them when a merge or a cherry-pick ends. */
export const MESSAGE_FILES: readonly string[] = ['MERGE_MSG', 'MERGE_MODE', 'SQUASH_MSG', 'AUTO_MERGE']

const SMALL = 4_096
const LARGE = 64_000_000
const MOST = 200_000

/** Reads the references, logs and temporary state of a repository. Skips links and oversized files. */
export function readRefState(gitDir: string): RefState {
  const refs = new Map<string, string>()
  for (const line of (plainText(join(gitDir, 'packed-refs'), LARGE) ?? '').split('\n')) {
    const [, hash, name] = /^([\da-f]+) (refs\/\S+)$/.exec(line) ?? []
    if (hash !== undefined && name !== undefined && HASH.test(hash)) refs.set(name, hash)
  }
  for (const [name, path] of plainFiles(join(gitDir, 'refs'), 'refs')) {
    const text = plainText(path, SMALL)?.trim() ?? ''
    if (HASH.test(text)) refs.set(name, text)
  }
  const logs = [...plainFiles(join(gitDir, 'logs'), '')].map(([name, path]): [string, string] => [name, plainText(path, LARGE) ?? ''])
  const marks = [...MARK_FILES, ...MESSAGE_FILES].flatMap((name): [string, string][] => {
    const text = plainText(join(gitDir, name), SMALL * 16)
    return text === undefined ? [] : [[name, text]]
  })
  const head = plainText(join(gitDir, 'HEAD'), SMALL)?.trim() ?? ''
  const settings = SETTINGS.map((name): [string, string] => [name, plainText(join(gitDir, name), LARGE) ?? ''])
  return { head, refs, logs: new Map(logs), marks: new Map(marks), settings: new Map(settings) }
}

/** Yields the files below a folder with their names, without links. */
function* plainFiles(folder: string, name: string): Generator<readonly [name: string, path: string]> {
  const open = [{ folder, name }]
  let seen = 0
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (lstatSync(at.folder, { throwIfNoEntry: false })?.isDirectory() !== true) continue
    for (const entry of readdirSync(at.folder, { withFileTypes: true })) {
      if (++seen > MOST) return
      const [path, inner] = [join(at.folder, entry.name), at.name === '' ? entry.name : `${at.name}/${entry.name}`]
      if (entry.isDirectory()) open.push({ folder: path, name: inner })
      else if (entry.isFile() && !entry.name.endsWith('.lock')) yield [inner, path]
    }
  }
}

/** Returns the text of a plain file of at most `most` bytes; undefined for anything else. */
export function plainText(path: string, most: number): string | undefined {
  let handle: number
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    const stats = fstatSync(handle)
    return stats.isFile() && stats.size <= most ? readFileSync(handle, 'utf8') : undefined
  } finally {
    closeSync(handle)
  }
}
