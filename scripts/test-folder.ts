import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Bytes: four times what the tests keep at once. */
const ROOM = 4 * 2 ** 30
/** The folder in memory that Linux has. */
const MEMORY = '/dev/shm'

/**
 * Creates the folder for the temporary files of the tests, which is removed when this process ends. It is in memory where there is room: each
 * commit of a store waits for the disk, and no test switches the machine off.
 */
export function testFolder(): string {
  const folder = mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), 'reflex-'))
  // Other users, such as that of the Postgres servers, reach their folders in it.
  chmodSync(folder, 0o755)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > ROOM
  } catch {
    return false
  }
}
