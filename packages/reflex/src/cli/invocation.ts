import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { shellWord } from '../text/index.ts'

/** The way in which this command was started. */
export interface Invocation {
  /** The folder in which it was started. */
  readonly cwd: string
  /** The variable PATH. */
  readonly path: string
  /** The path of the file that Node was given: absolute, with symbolic links unresolved. */
  readonly script: string
}

/**
 * Returns the words that start this same command again from the same folder: `npx reflex` if a `node_modules` above
 * leads to this package, else `reflex` if the PATH leads to it, else the file that was started. Another package may
 * also be called `reflex`.
 */
export function commandWords({ cwd, path, script }: Invocation): string {
  const ownFile = realFile(script)
  const isOurs = (file: string): boolean => realFile(file) === ownFile || isShim(file)
  if (ownFile === undefined) return 'npx reflex'
  if (foldersAbove(cwd).some((folder) => isOurs(join(folder, 'node_modules/.bin/reflex')))) return 'npx reflex'
  const folders = path.split(delimiter).filter((folder) => folder !== '' && !folder.includes('node_modules'))
  if (folders.some((folder) => isOurs(join(folder, 'reflex')))) return 'reflex'
  const near = relative(cwd, script)
  const file = near.startsWith('..') || isAbsolute(near) ? script : `./${near}`
  return canRun(script) ? shellWord(file) : `node ${shellWord(file)}`
}

/** True if a file is a shim: Windows uses one instead of a link, and it cannot be followed. */
function isShim(file: string): boolean {
  return process.platform === 'win32' && canRun(`${file}.cmd`)
}

function foldersAbove(folder: string): string[] {
  const above = dirname(resolve(folder))
  return above === folder ? [folder] : [folder, ...foldersAbove(above)]
}

function realFile(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
