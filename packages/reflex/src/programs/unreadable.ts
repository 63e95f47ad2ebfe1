import { causeOf, type Fault } from '../kernel/index.ts'
import { programFaults } from './faults.ts'

/** Returns the fault of a file that the system does not allow to read. */
export function unreadable(file: string, cause: unknown): Fault {
  return programFaults.make('R1024', `${file} cannot be read`, { file, cause: causeOf(cause) })
}
