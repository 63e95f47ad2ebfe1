import { readFileSync, statSync } from 'node:fs'
import { faults } from '../runs/faults.ts'
import { programFaults } from '../programs/faults.ts'

const FIX = 'name a file that holds the secret'

/**
 * Returns the secret in a file as bytes, without a final line end. `named`: the path as the user wrote it. Throws `R1021` if
 * there is no file, `R1024` if it cannot be read, `R2031` if it contains only spaces.
 */
export function secretIn(path: string, named = path): Uint8Array {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw programFaults.make('R1021', `there is no file ${named}`, { file: named, fix: FIX })
  // The shell passes a pipe for <(command).
  if (!found.isFile() && !found.isFIFO()) throw programFaults.make('R1024', `${named} is not a file`, { file: named, fix: FIX })
  const bytes = bytesIn(path, named)
  if (bytes.toString('latin1').trim() === '')
    throw faults.make('R2031', `${named} contains no secret`, { file: named, fix: 'write a long random text into it' })
  return bytes.at(-1) !== 10 ? bytes : bytes.subarray(0, bytes.at(-2) === 13 ? -2 : -1)
}

function bytesIn(path: string, file: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw programFaults.make('R1024', `${file} cannot be read`, { file, cause, fix: 'grant the permission to read it' })
  }
}
