import { BIT_OPERATIONS } from './bit-operations.ts'
import { NUMBER_OPERATIONS } from './number-operations.ts'
import type { Operation } from './operation.ts'
import { SERIES_OPERATIONS } from './series-operations.ts'

/** The operations of compiled passes by the `op` of a primitive. A primitive with another `op` is called. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  Object.entries({ ...NUMBER_OPERATIONS, ...BIT_OPERATIONS, ...SERIES_OPERATIONS }),
)

/** The sources and computes whose value is their parameter `value`: their slots are filled once. */
export const CONSTANTS: ReadonlySet<string> = new Set(['number_source', 'boolean_source', 'string_source', 'const_number', 'const_bool'])

/** The sources whose value is the key of the context that they require. */
export const CONTEXT_SOURCES: ReadonlySet<string> = new Set([
  'context_number_source',
  'context_bool_source',
  'context_string_source',
  'context_series_source',
])

/** The actions whose outcome depends on their parameters only. */
export const FIXED_ACTIONS: ReadonlySet<string> = new Set([
  'ack_action',
  'annotate_action',
  'context_set_number',
  'context_set_bool',
  'context_set_string',
  'context_set_series',
])
