import { type OperationTable, operationTable, withHost } from '../model/operation-table.ts'
import { compileFaults } from '../model/faults.ts'
import type { CustomHandler } from '../model/resolution.ts'
import type { Operation } from '../contract/define-operation.ts'
import { OPERATIONS } from './table.ts'

/** The table of the built-in operations. */
export const BUILT_IN_OPERATIONS: OperationTable = operationTable(OPERATIONS)

/** The operations and handlers of a host. */
export interface HostOperations {
  /** Operations made by `defineOperation`. A type name that another operation has is refused with `R1165`. */
  readonly operations?: readonly Operation[] | undefined
  /** Handlers of the host by their type name. */
  readonly custom?: ReadonlyMap<string, CustomHandler> | undefined
  /** The names of the host's actions, in plain form. */
  readonly hostActions?: ReadonlySet<string> | undefined
}

const TABLES = new WeakMap<readonly Operation[], OperationTable>()

/** Returns the table of the built-in operations and those of a host. Throws `R1165`. */
export function operationsOf({ operations = [], custom, hostActions }: HostOperations = {}): OperationTable {
  const table = operations.length === 0 ? BUILT_IN_OPERATIONS : tableOf(operations)
  return withHost(table, { ...(custom === undefined ? {} : { custom }), ...(hostActions === undefined ? {} : { hostActions }) })
}

function tableOf(operations: readonly Operation[]): OperationTable {
  const known = TABLES.get(operations)
  if (known !== undefined) return known
  const wrong = operations.find(({ run }) => typeof run !== 'function')
  if (wrong !== undefined) {
    const message = `module "pipeline": the operation ${JSON.stringify(wrong.name)} has no function`
    throw compileFaults.make('R1165', message, { fix: 'give defineOperation a function as run' })
  }
  const table = operationTable([...OPERATIONS, ...operations])
  TABLES.set(operations, table)
  return table
}
