import { type Fault, isFault, faults as kernelFaults } from '../kernel/index.ts'
import { faults, NAME_ANOTHER, noRoom, PERMIT, RESTORE } from './faults.ts'

/** The kind of call: the same result code of SQLite means different things in different calls. */
export type Operation = 'open' | 'read' | 'write'

const BUSY = 5
const LOCKED = 6
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const NOTADB = 26

/** Returns SQLite's primary result code of a thrown value. Extended codes have more in their higher bits. */
export function resultCode(thrown: unknown): number | undefined {
  const code = thrown instanceof Error ? (thrown as { errcode?: unknown }).errcode : undefined
  return typeof code === 'number' ? code & 0xff : undefined
}

export function isBusy(thrown: unknown): boolean {
  const code = resultCode(thrown)
  return code === BUSY || code === LOCKED
}

export function isFull(thrown: unknown): boolean {
  return resultCode(thrown) === FULL
}

export function isDiskError(thrown: unknown): boolean {
  return resultCode(thrown) === IOERR
}

/** Returns anything that `node:sqlite` throws as a fault that names the store. A fault is returned unchanged. */
export function storeFault(thrown: unknown, store: string, operation: Operation): Fault {
  if (isFault(thrown)) return thrown
  if (thrown instanceof Error && (thrown as NodeJS.ErrnoException).code === 'ERR_INVALID_STATE') {
    return faults.make('R5029', `the store ${store} is closed`, { file: store, cause: thrown })
  }
  const details = { file: store, cause: thrown }
  switch (resultCode(thrown)) {
    case BUSY:
    case LOCKED:
      return faults.make('R5025', `another process keeps the store ${store} busy`, {
        ...details,
        fix: 'wait for it, or end it; then try again',
      })
    case CORRUPT:
      return faults.make('R5021', `the store ${store} is damaged`, { ...details, fix: RESTORE })
    case NOTADB:
      return faults.make('R5020', `${store} is not a store of Reflex`, { ...details, fix: NAME_ANOTHER })
    case READONLY:
      return faults.make('R5024', `the store ${store} is read-only`, { ...details, fix: PERMIT })
    case FULL:
      return noRoom(store, 'its disk', details)
    case CANTOPEN:
      return faults.make('R5023', `the store ${store} cannot be opened`, {
        ...details,
        fix: 'name a file in a folder that you may write to',
      })
    default:
      return otherFault(store, operation, details)
  }
}

function otherFault(store: string, operation: Operation, details: { readonly file: string; readonly cause: unknown }): Fault {
  if (operation === 'open')
    return faults.make('R5023', `the store ${store} cannot be opened`, { ...details, fix: 'name a file that you may read and write' })
  if (operation === 'read')
    return faults.make('R5026', `the store ${store} cannot be read`, {
      ...details,
      fix: 'read the cause; when the file can be read again, resume',
    })
  return kernelFaults.make('R5005', `the store ${store} cannot be written`, {
    ...details,
    fix: 'read the cause; when the file can be written again, resume',
  })
}
