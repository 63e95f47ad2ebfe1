import type { Fault } from '../kernel/index.ts'
import { historyFaults } from './faults.ts'

const RUN_NAME = /^[a-z0-9][\w-]{0,63}$/i

/** True if the name is valid for a run. A valid name can be used unchanged in addresses, folders and shells. */
export function isRunName(name: string): boolean {
  return RUN_NAME.test(name) && name !== 'last'
}

/** Returns `R2022` for an invalid name of a run. `fix` tells where to give another name. */
export function invalidRunName(name: string, fix = 'use letters, digits, - and _, at most 64, and begin with a letter or a digit'): Fault {
  return historyFaults.make('R2022', `${JSON.stringify(name.slice(0, 80))} is not a valid name of a run`, { fix })
}
