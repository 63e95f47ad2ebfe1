import { delimiter, isAbsolute } from 'node:path'

/** Environment variables; the composition reads them, tools do not. */
export type Environment = Readonly<Record<string, string | undefined>>

const KEPT_VARIABLES: readonly string[] = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'USER', 'SHELL', 'TMPDIR']
/** The variables without which no program starts on Windows. */
const WINDOWS_VARIABLES: readonly string[] = ['SystemRoot', 'PATHEXT', 'TEMP']

/**
 * Returns the environment of a command: the locations of programs, of the home folder and of temporary files, language
 * and time zone, the user, and the variables that the operator names (reference pipeline 4.5). Relative folders on the
 * PATH are removed: they would find a program in whatever folder the command runs in.
 */
export function scrub(environment: Environment, named: readonly string[] = []): Record<string, string> {
  const windows = process.platform === 'win32'
  const kept = [...KEPT_VARIABLES, ...(windows ? WINDOWS_VARIABLES : []), ...named]
  const pairs = kept.flatMap((name): [string, string][] => {
    const value = valueOf(environment, name, windows)
    return value === undefined ? [] : [[name, name === 'PATH' ? absoluteFolders(value).join(delimiter) : value]]
  })
  return Object.fromEntries(pairs)
}

/** Returns the absolute folders on the PATH. */
export function pathFolders(environment: Environment): readonly string[] {
  return absoluteFolders(valueOf(environment, 'PATH', process.platform === 'win32') ?? '')
}

function valueOf(environment: Environment, name: string, windows: boolean): string | undefined {
  const key = windows ? Object.keys(environment).find((known) => known.toLowerCase() === name.toLowerCase()) : name
  return key !== undefined && Object.hasOwn(environment, key) ? environment[key] : undefined
}

function absoluteFolders(path: string): readonly string[] {
  return path.split(delimiter).filter((folder) => isAbsolute(folder))
}
