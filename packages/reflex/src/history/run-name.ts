import type { Fault } from '../kernel/index.ts'
import { historyFaults } from './faults.ts'

const RUN_NAME = /^[a-z0-9][\w-]{0,63}$/i

/** Whether a run can have this name: addresses, folders and shells take it is. */
export function isRunName(name: string): boolean {
  return RUN_NAME.test(name) && name !== 'last'
}

/** `R2022` for a name that no run can have; `fix` says where another one is given. */
export function invalidRunName(name: string, fix = 'letters, digits, - and _, at most 64, beginning with a letter or digit'): Fault {
  return historyFaults.make('R2022', `${JSON.stringify(name.slice(0, 80))} cannot name a run`, { fix })
}
