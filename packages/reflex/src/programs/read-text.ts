import { readFileSync, type Stats, statSync } from 'node:fs'
import { type Fault, isFault } from '../kernel/index.ts'
import { programFaults } from './faults.ts'
import { unreadable } from './unreadable.ts'

/** The size limit of programs, which people write by hand. */
const MOST_BYTES = 64 * 1024 * 1024

/** Returns the facts of the file or folder at a path. Throws `R1021` if there is none, `R1024` if the system denies access. */
export function statOf(path: string, named: string, fix?: string): Stats {
  let stat: Stats | undefined
  try {
    stat = statSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    throw unreadable(named, cause)
  }
  if (stat === undefined) throw programFaults.make('R1021', `${named} does not exist`, { file: named, fix })
  return stat
}

/** Returns the text of a file; empty if it cannot be read: the code that loads it reports that. */
export function textOrEmpty(file: string): string {
  try {
    return readText(file)
  } catch {
    return ''
  }
}

/** Returns the text of a file that a person named. Throws `R1021` and `R1024`. */
export function readText(file: string): string {
  const stat = statOf(file, file, 'name a file that is there')
  // The shell passes a pipe for `<(…)`. It is read to its end.
  const isPipe = stat.isFIFO() && file.startsWith('/dev/fd/')
  if (!stat.isFile() && !isPipe) throw programFaults.make('R1024', `${file} is not a file`, { file })
  if (stat.size > MOST_BYTES) throw tooLarge(file, stat.size)
  try {
    const text = readFileSync(file)
    if (text.length > MOST_BYTES) throw tooLarge(file, text.length)
    return text.toString('utf8')
  } catch (cause) {
    throw isFault(cause) ? cause : unreadable(file, cause)
  }
}

function tooLarge(file: string, size: number): Fault {
  return programFaults.make('R1024', `${file} has ${size} B; the limit is ${MOST_BYTES} B`, { file })
}
