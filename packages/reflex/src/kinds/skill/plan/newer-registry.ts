import type { Fault } from '../../../kernel/index.ts'
import { REGISTRY_FORMAT } from '../ledger/entries.ts'
import { faults } from './faults.ts'

/** Returns the fault of a registry that a newer Reflex has written: nothing is read from it, nothing runs, and nothing is written. */
export function newerRegistry(project: string, form: number): Fault {
  const message = `the registry of ${project} has form ${form}; this Reflex knows ${REGISTRY_FORMAT}`
  return faults.make('R1473', message, { verdict: 'fail', fix: 'update Reflex' })
}
