import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { faults } from '../faults.ts'
import type { RunGit } from './take-objects.ts'

/** Returns a function that runs git with a given index. */
export type RunGitOn = (index: string | undefined) => RunGit

/**
 * Applies the staged files of a command, entry by entry. Other parts of its index, such as the list of files that need
 * no check, are ignored: with them a command could hide its changes from `git status`. Returns undefined on success,
 * else the reason.
 */
export async function takeIndex(copy: string, before: string, runGitOn: RunGitOn): Promise<string | undefined> {
  const made = join(copy, 'index')
  const base = existsSync(join(before, 'index')) ? join(before, 'index') : undefined
  if (isSame(made, base)) return undefined
  if (!isPlain(made)) return 'it is not a file'
  const [old, next, now] = [
    base === undefined ? new Map<string, string>() : await entries(base, runGitOn),
    await entries(made, runGitOn),
    await entries(undefined, runGitOn),
  ]
  const paths = [...new Set([...old.keys(), ...next.keys()])].filter((path) => old.get(path) !== next.get(path))
  const open = paths.filter((path) => now.get(path) !== next.get(path))
  const conflict = open.find((path) => now.get(path) !== old.get(path))
  if (conflict !== undefined) return `${conflict} was staged by another process meanwhile`
  const zero = '0'.repeat(hashLength(next, old))
  const lines = open.flatMap((path) => [
    `0 ${zero}\t${path}\0`,
    ...(next.get(path) ?? '').split('\n').flatMap((entry) => (entry === '' ? [] : [`${entry}\t${path}\0`])),
  ])
  if (lines.length > 0) await runGitOn(undefined)(['update-index', '-z', '--index-info'], lines.join(''))
  return undefined
}

function hashLength(...lists: readonly ReadonlyMap<string, string>[]): number {
  const [first = ''] = lists.flatMap((list) => [...list.values()].slice(0, 1))
  return first.split(' ')[1]?.length ?? 40
}

/** True if the command changed no index; without an index of its own, it staged nothing. */
function isSame(made: string, base: string | undefined): boolean {
  if (lstatSync(made, { throwIfNoEntry: false }) === undefined) return true
  return base !== undefined && isPlain(made) && readFileSync(made).equals(readFileSync(base))
}

function isPlain(path: string): boolean {
  return lstatSync(path).isFile()
}

/** Returns `MODE HASH STAGE` by path, with a line for each stage. */
async function entries(index: string | undefined, runGitOn: RunGitOn): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const line of (await runGitOn(index)(['ls-files', '--stage', '-z'])).split('\0')) {
    const tab = line.indexOf('\t')
    if (tab < 0) continue
    const [entry, path] = [line.slice(0, tab), line.slice(tab + 1)]
    if (path.includes('\ufffd')) throw faults.make('R4124', 'the index has a path that is not UTF-8')
    if (!/^\d{6} [\da-f]+ [0-3]$/.test(entry)) throw faults.make('R4124', 'git listed an entry that is not valid')
    const known = found.get(path)
    found.set(path, known === undefined ? entry : `${known}\n${entry}`)
  }
  return found
}
