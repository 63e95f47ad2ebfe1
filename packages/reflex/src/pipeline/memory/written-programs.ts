import { readFileSync, type Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fsCapability } from '../../tools/index.ts'
import { isBelow } from '../../tools/paths.ts'
import { type Label } from '../middleware/label.ts'
import { hashOf, type WrittenLabels } from './written.ts'

const READS = 'arbor://fs/read/'
/** Bytes beyond which a file is no program. */
const LARGEST = 64 * 1024 * 1024
/** Entries of folders after which a search ends: the whole folder is then taken for written. */
const MOST = 500_000

/** The place of a file in the ledger, as capabilities have it. */
export function ledgerPlace(path: string): string {
  return fsCapability('read', path).slice(READS.length)
}

/** The path of a place in the ledger. */
export function pathOf(place: string): string {
  return `/${place.split('/').map(decodeURIComponent).join('/')}`
}

/** The text of a file as a program is read; undefined where there is none. */
export function textAt(path: string): string | undefined {
  try {
    const bytes = readFileSync(path)
    return bytes.length > LARGEST ? undefined : bytes.toString('utf8')
  } catch {
    return undefined
  }
}

/** The files below some folders that may be programs, and their state. No link is followed. */
export interface ProgramFiles {
  readonly states: ReadonlyMap<string, string>
  /** Folders that hold too much to be searched. */
  readonly unsearched: readonly string[]
}

/** Finds the files that a program could be read from, by their names. `hidden`: folders that no command sees. */
export async function programFiles(
  folders: readonly string[],
  isProgram: (name: string) => boolean,
  hidden: readonly string[],
): Promise<ProgramFiles> {
  const states = new Map<string, string>()
  const unsearched: string[] = []
  for (const folder of folders) {
    let seen = 0
    const open = [folder]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const entries = await readdir(at, { withFileTypes: true }).catch(() => [])
      seen += entries.length
      if (seen > MOST) {
        unsearched.push(folder)
        break
      }
      for (const entry of entries) {
        const path = join(at, entry.name)
        if (entry.isDirectory() && entry.name !== '.git' && !hidden.some((one) => isBelow(path, one))) open.push(path)
        else if (entry.isFile() && isProgram(basename(path))) states.set(path, stateOf(await lstat(path).catch(() => undefined)))
      }
    }
  }
  return { states, unsearched }
}

function stateOf(stats: Stats | undefined): string {
  return stats === undefined ? '' : `${stats.dev} ${stats.ino} ${stats.size} ${stats.ctimeMs}`
}

/** Labels the programs that differ between two searches, by their path and by the text that they have now. */
export async function keepChanged(
  labels: WrittenLabels,
  [before, after]: readonly [ProgramFiles, ProgramFiles],
  { run, label, key }: { readonly run: string; readonly label: Label; readonly key: string },
): Promise<void> {
  const changed = [...after.states].filter(([path, state]) => before.states.get(path) !== state).map(([path]) => path)
  for (const path of changed) {
    const text = textAt(path)
    const hash = text === undefined ? undefined : hashOf(text)
    if (hash !== undefined) await labels.keep({ path: ledgerPlace(path), run, label, hash }, `${key} left ${path}`)
  }
  for (const folder of new Set([...before.unsearched, ...after.unsearched]))
    await labels.keep({ path: ledgerPlace(folder), run, label }, `${key} ${folder}`)
}
