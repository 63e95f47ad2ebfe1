import { createHash, type Hash } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import type { ServerSpec } from '../policy/index.ts'
import { mcpFaults } from './faults.ts'

/** Programs that run another program, which an argument names. */
const INTERPRETERS = /^(node|bun|deno|python[\d.]*|ruby|perl|php|java|bash|sh|zsh|dash|env|npx|bunx)(\.exe)?$/
/** Programs that run a package by its name, if it is installed. */
const RUNNERS = /^(npx|bunx)(\.cmd)?$/
const MOST_FILES = 20_000
const MOST_BYTES = 500_000_000

/** The folder in which a server starts, and its environment. */
export interface CommandPlace {
  readonly cwd: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** The files of a command. */
export interface CommandPackage {
  readonly hash: string
  /** The folders and files that were hashed. */
  readonly paths: readonly string[]
}

/**
 * Returns the hash of the files that a command runs: of the whole package of each, if it is in a package, without the packages in it.
 * Of an interpreter, these are the files that it runs. Throws `R4514` for a command that names no file, or that is too large.
 */
export function packageOf(name: string, { command = '', args = [] }: ServerSpec, place: CommandPlace): CommandPackage {
  const program = programAt(command, place)
  const isInterpreter = INTERPRETERS.test(basename(command))
  const words = RUNNERS.test(basename(command)) ? runnerWords(args, place) : args
  const named = isInterpreter ? programFiles(words, place) : program === undefined ? [] : [program]
  const paths = [...new Set(named.map(packageRoot))].sort()
  if (paths.length === 0)
    throw mcpFaults.make('R4514', `the command of the server ${name} names no file that is there: ${[command, ...args].join(' ')}`)
  const hash = createHash('sha256')
  const used = { files: 0, bytes: 0 }
  for (const path of paths) addPath(hash, path, basename(path), used, name)
  return { hash: `sha256-${hash.digest('hex')}`, paths }
}

/** Returns the words of `npx` as files, without its own flags. */
function runnerWords(args: readonly string[], place: CommandPlace): readonly string[] {
  return args.filter((word) => word !== '-y' && word !== '--yes').map((word) => binOf(word, place) ?? word)
}

/** Returns the files that an interpreter runs: the first that no flag precedes, and those before it. Later ones are data. */
function programFiles(words: readonly string[], place: CommandPlace): readonly string[] {
  const found: string[] = []
  for (const [i, word] of words.entries()) {
    const file = fileAt(word, place)
    if (file === undefined) continue
    found.push(file)
    if (words[i - 1]?.startsWith('-') !== true) break
  }
  return found
}

/** Returns the real path of a program: named by a path, or on the PATH. */
function programAt(command: string, { cwd, environment }: CommandPlace): string | undefined {
  if (command.includes('/') || command.includes(sep)) return fileAt(command, { cwd, environment })
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  for (const folder of folders) {
    const found = fileAt(join(folder, command), { cwd, environment })
    if (found !== undefined) return found
  }
  return undefined
}

function fileAt(word: string, { cwd }: CommandPlace): string | undefined {
  if (word === '' || word.startsWith('-') || word.includes('\0') || word.length > 4096) return undefined
  try {
    const path = realpathSync(resolve(cwd, word))
    return statSync(path).isFile() ? path : undefined
  } catch {
    return undefined
  }
}

/** Returns the file of an installed package's command, as `npx` finds it; undefined if it is not installed. */
function binOf(word: string, place: CommandPlace): string | undefined {
  if (!/^[\w@][\w@./-]*$/.test(word)) return undefined
  for (let folder = place.cwd; ; folder = dirname(folder)) {
    const found = fileAt(join(folder, 'node_modules', '.bin', word), place)
    if (found !== undefined) return found
    if (dirname(folder) === folder) return undefined
  }
}

/** Returns the folder of the installed package of a file; the file itself if it is in none. */
function packageRoot(file: string): string {
  const parts = file.split(sep)
  const at = parts.lastIndexOf('node_modules')
  if (at < 0) return file
  return parts.slice(0, at + (parts[at + 1]?.startsWith('@') === true ? 3 : 2)).join(sep)
}

function addPath(hash: Hash, path: string, shown: string, used: { files: number; bytes: number }, name: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory() === true) {
    for (const entry of readdirSync(path, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name === 'node_modules') continue
      const inner = join(path, entry.name)
      if (entry.isSymbolicLink()) hash.update(`link ${shown}/${entry.name}\0${readlinkSync(inner)}\0`)
      else addPath(hash, inner, `${shown}/${entry.name}`, used, name)
    }
    return
  }
  if (stats?.isFile() !== true) return
  used.files++
  used.bytes += stats.size
  if (used.files > MOST_FILES || used.bytes > MOST_BYTES)
    throw mcpFaults.make('R4514', `the files of the server ${name} are too many or too large to be hashed: ${path}`)
  const content = createHash('sha256').update(readFileSync(path)).digest('hex')
  hash.update(`file ${shown}\0${content}\0`)
}
