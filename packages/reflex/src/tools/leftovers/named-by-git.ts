import { lstatSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { plainText } from '../git/ref-state.ts'
import { findRepository } from '../git/repository.ts'
import { isBelow } from '../paths.ts'

/** The most bytes of a settings file, and the most levels of included files. */
const MOST = 1_000_000
const DEEPEST = 8

/**
 * Returns the paths in a working tree that the settings of its repository name: the folder of hooks, files with further
 * settings, and programs and scripts that the next git command runs.
 */
export function namedByRepository(folder: string): readonly string[] {
  const repository = findRepository(folder, { workdir: folder, runFolder: folder })
  if (repository === undefined) return []
  const { root, gitDir, commonDir } = repository
  const found = new Set<string>()
  for (const file of [join(commonDir, 'config'), join(gitDir, 'config.worktree')]) readSettings(file, root, found, DEEPEST)
  return [...found].filter((path) => path !== root && isBelow(path, root))
}

function readSettings(file: string, root: string, found: Set<string>, depth: number): void {
  for (const { section, key, value } of settingsIn(plainText(file, MOST) ?? '')) {
    if (value === '' || value.startsWith('~')) continue
    if (key === 'path' && section.startsWith('include')) {
      const included = resolve(dirname(file), value)
      if (depth > 0 && !found.has(included)) readSettings(included, root, found.add(included), depth - 1)
    } else if (key === 'hookspath') found.add(resolve(root, value))
    else for (const path of filesIn(value, root)) found.add(path)
  }
}

interface Setting {
  readonly section: string
  readonly key: string
  readonly value: string
}

/** Returns the settings in a git file; sections and keys in lowercase, values without quotes. */
function settingsIn(text: string): readonly Setting[] {
  const all: Setting[] = []
  let section = ''
  for (const line of text.replace(/\\\r?\n/g, '').split('\n')) {
    const trimmed = line.trim()
    const end = trimmed.startsWith('[') ? trimmed.indexOf(']') : -1
    if (end > 0) section = trimmed.slice(1, end).trim().toLowerCase()
    const rest = trimmed.slice(end + 1).trim()
    const equals = rest.indexOf('=')
    if (equals <= 0 || /^[#;]/.test(rest)) continue
    all.push({ section, key: rest.slice(0, equals).trim().toLowerCase(), value: plainValue(rest.slice(equals + 1).trim()) })
  }
  return all
}

function plainValue(text: string): string {
  const open = text.startsWith('"') ? text.indexOf('"', 1) : -1
  return open > 0 ? text.slice(1, open) : text
}

/** Returns the words of a value that are paths in the working tree, or names of files there. */
function filesIn(value: string, root: string): readonly string[] {
  return value.split(/[\s"';|&()!=]+/).flatMap((word) => {
    if (word === '' || word.includes('://') || word.startsWith('refs/')) return []
    const path = resolve(root, word)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return stats === undefined ? (word.includes('/') ? [path] : []) : stats.isDirectory() ? [] : [path]
  })
}
