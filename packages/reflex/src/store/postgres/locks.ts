import { crc32 } from 'node:zlib'

/** The first half of the number of the lock between commits and sweeps: "Rsw". The second half is the hash of the schema. */
export const SWEEP_LOCK = 0x527377

/** Returns half of the number of a lock for a name. */
export function lockNumber(name: string): number {
  return crc32(name) | 0
}
