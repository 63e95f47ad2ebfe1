import { readFileSync } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ledgerPlace } from '../tools/capability.ts'
import { isBelow } from '../tools/paths.ts'
import type { Label } from '../policy/label.ts'
import { hashOf, type WrittenLabels } from '../policy/written-labels.ts'

/** The size in bytes above which a file is not a program. */
const LARGEST = 64 * 1024 * 1024
/** The limit of entries of a search. Beyond it, the whole folder counts as written. */
const MOST_ENTRIES = 500_000

/** Returns the text of a file as a program is read; undefined if there is no file. */
export function textAt(path: string): string | undefined {
  try {
    const bytes = readFileSync(path)
    return bytes.length > LARGEST ? undefined : bytes.toString('utf8')
  } catch {
    return undefined
  }
}

/** The state of a file: two equal states mean the same text. */
interface FileState {
  readonly version: string
  /** The time of the last change in milliseconds since the epoch. */
  readonly changed: number
}

/** The files below some folders, with their states. */
export interface FoundFiles {
  readonly states: ReadonlyMap<string, FileState>
  /** Folders with too many entries to search. */
  readonly unsearched: readonly string[]
}

/** The files to find, and the folders that are hidden from commands. */
export interface FileSearch {
  readonly isWanted: (path: string) => boolean
  readonly hidden: readonly string[]
}

/**
 * Finds files. A link counts as a file with the state of its target, because programs are read through links; folders are not
 * entered through links.
 */
export async function findFiles(folders: readonly string[], { isWanted, hidden }: FileSearch): Promise<FoundFiles> {
  const states = new Map<string, FileState>()
  const unsearched: string[] = []
  for (const folder of folders) {
    const closed = hidden.filter((one) => !isBelow(folder, one))
    let seen = 0
    const open = [folder]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const entries = await readdir(at, { withFileTypes: true }).catch(() => [])
      seen += entries.length
      if (seen > MOST_ENTRIES) {
        unsearched.push(folder)
        break
      }
      for (const entry of entries) {
        const path = join(at, entry.name)
        if (entry.isDirectory() && !closed.some((one) => isBelow(path, one))) open.push(path)
        else if ((entry.isFile() || entry.isSymbolicLink()) && isWanted(path)) states.set(path, await stateAt(path))
      }
    }
  }
  return { states, unsearched }
}

/** Returns the state of a file, or of the link itself if it is broken. A name that is not UTF-8 gets a state that counts as changed. */
async function stateAt(path: string): Promise<FileState> {
  const stats = await stat(path)
    .catch(() => lstat(path))
    .catch(() => undefined)
  if (stats === undefined) return UNKNOWN
  const { dev, ino, size, ctimeMs } = stats
  return { version: `${dev} ${ino} ${size} ${ctimeMs}`, changed: ctimeMs }
}

const UNKNOWN: FileState = { version: 'unknown', changed: 0 }
/** The number of files that one entry of the ledger labels. */
const BATCH = 500

/** A command that may have changed files. */
interface CommandRun {
  readonly run: string
  readonly label: Label
  readonly key: string
  readonly isProgram: (path: string) => boolean
  /** The first start of the command in milliseconds since the epoch, if a crash interrupted it: all changes since then count. */
  readonly since?: number | undefined
}

/** Labels the files that differ between two searches by path, and programs also by their current text. */
export async function labelChanged(
  labels: WrittenLabels,
  [before, after]: readonly [FoundFiles, FoundFiles],
  { run, label, key, isProgram, since }: CommandRun,
): Promise<void> {
  const isSame = (path: string, { version, changed: at }: FileState): boolean =>
    version !== UNKNOWN.version && before.states.get(path)?.version === version && at < (since ?? Number.POSITIVE_INFINITY)
  const changed = [...after.states].filter(([path, state]) => !isSame(path, state)).map(([path]) => path)
  for (let i = 0; i < changed.length; i += BATCH) {
    const files = changed.slice(i, i + BATCH).map((path): [string, string] => [ledgerPlace(path), hashAt(path, isProgram)])
    await labels.add({ run, label, files }, `${key} left ${i}`)
  }
  for (const folder of new Set([...before.unsearched, ...after.unsearched]))
    await labels.add({ path: ledgerPlace(folder), run, label }, `${key} ${folder}`)
}

function hashAt(path: string, isProgram: (path: string) => boolean): string {
  const text = isProgram(path) ? textAt(path) : undefined
  return text === undefined ? '' : hashOf(text, ledgerPlace(path))
}
