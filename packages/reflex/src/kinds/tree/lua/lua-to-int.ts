import { faults } from '../model/faults.ts'

/**
 * Returns a value of Lua as a whole number: numbers of Lua are floats in spirit, so that 1.0 is 1. Throws R1212 (E1002) for everything that is not
 * a whole number within ±(2^53 − 1).
 */
export function luaToInt(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value === 0 ? 0 : value
  throw faults.make(
    'R1212',
    `${typeof value === 'string' ? JSON.stringify(value) : String(value)} is not a whole number within ±(2^53 − 1)`,
    {
      rule: 'E1002',
    },
  )
}
