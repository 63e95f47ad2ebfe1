import { readFileSync } from 'node:fs'
import { ledgerPlace } from '../tools/capability.ts'
import type { Label } from '../policy/label.ts'
import { hashOf, type WrittenLabels } from '../policy/written-labels.ts'
import { type FileState, type FoundFiles, UNKNOWN } from './folder-searches.ts'

/** The size in bytes above which a file is not a program. */
const LARGEST = 64 * 1024 * 1024

/** Returns the text of a file as a program is read; undefined if there is no file. */
export function textAt(path: string): string | undefined {
  try {
    const bytes = readFileSync(path)
    return bytes.length > LARGEST ? undefined : bytes.toString('utf8')
  } catch {
    return undefined
  }
}

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
