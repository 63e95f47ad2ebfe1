import { createReadStream, statSync } from 'node:fs'
import { faults } from '../runs/faults.ts'
import type { ForgottenRecords } from '../history/archive/forget.ts'
import { linesOf } from '../history/archive/import.ts'
import type { Session } from './session.ts'

/** Returns the number of the last segment to export; undefined for the whole run. */
export async function lastSegment(
  { reflex }: Session,
  run: string,
  { through, forget = false }: { readonly through?: string; readonly forget?: boolean },
): Promise<number | undefined> {
  if (through !== undefined) {
    const number = Number(through)
    if (Number.isInteger(number) && number > 0) return number
    throw faults.make('R2031', `--through ${through} is not the number of a segment`, {
      fix: 'write --through 3; reflex show lists the segments',
    })
  }
  if (!forget) return undefined
  const found = (await reflex.store.segments(run)).findLast(({ sealed, place }) => sealed && place !== 'gone')
  if (found !== undefined) return found.number
  throw faults.make('R2031', `${run} has no sealed segment to forget`, { fix: 'export it without --forget' })
}

/**
 * Checks that an export replaces no archive that has the only copy of records. Returns true if the file is already there and is to be
 * checked instead of written: an export that was interrupted before it could forget is repeated. Throws `R5045`.
 */
export async function isWritten({ reflex }: Session, run: string, file: string, forget: boolean): Promise<boolean> {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false
  if (forget) return true
  const needed = (await reflex.store.segments(run)).flatMap(({ archive }) => archive ?? [])
  if (needed.length === 0 || !needed.includes(await endOf(file))) return false
  throw faults.make('R5045', `${file} has records of ${run} that the store no longer has`, { run, file, fix: 'name another file with -o' })
}

/** Returns the hash of the last line of a file. */
async function endOf(file: string): Promise<string> {
  let last = ''
  try {
    for await (const line of linesOf(createReadStream(file))) if (line !== '') last = line
  } catch {
    // It is no archive.
  }
  return /"hash":"([0-9a-f]{64})"(?:,"signature":"[0-9a-f]{64}")?\}$/.exec(last)?.[1] ?? ''
}

/** Removes the records of an archive from the store, after the file was read again. */
export async function forgetIn({ reflex }: Session, run: string, file: string, through: number): Promise<ForgottenRecords> {
  return reflex.forget(run, linesOf(createReadStream(file)), { through })
}
