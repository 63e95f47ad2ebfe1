import { faults } from '../model/faults.ts'
import { typeOf, valuePreview } from './value-text.ts'

/**
 * Returns a number of Lua as a whole number: Lua does not tell `1` from `1.0` (seed tree TS-01). Throws `R1212` for what is not a number, is not
 * whole, or lies beyond ±(2^53 - 1), where whole numbers are no longer exact.
 */
export function luaToInt(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value === 0 ? 0 : value
  const value_preview = valuePreview(value)
  throw faults.make('R1212', `${value_preview} is not a whole number between -(2^53 - 1) and 2^53 - 1`, {
    rule: 'E1002',
    fix: 'round it with math.floor, or use a schema of type float',
    data: { expected_schema: 'int', actual_type: typeOf(value), value_preview },
  })
}
