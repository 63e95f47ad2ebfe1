import type { PortType, Scalar, ScalarType } from '../model/value.ts'
import { readValue } from './call-function.ts'

/** The values of a pass by type: `f` numbers, `g` Bools and events as 0 or 1, `s` texts, `x` series. */
export interface Banks {
  readonly f: Float64Array
  readonly g: Uint8Array
  readonly s: string[]
  readonly x: (readonly number[])[]
}

export type BankName = keyof Banks

const BANK_OF: Readonly<Record<PortType, BankName>> = { Number: 'f', Bool: 'g', Event: 'g', String: 's', Series: 'x' }

/** Returns the bank of the values of a type. */
export function bankOf(type: PortType): BankName {
  return BANK_OF[type]
}

/** Stores a checked value. */
export function store(banks: Banks, type: PortType, slot: number, value: Scalar): void {
  if (type === 'Number') banks.f[slot] = value as number
  else if (type === 'Bool') banks.g[slot] = value === true ? 1 : 0
  else if (type === 'Event') banks.g[slot] = value === 'Emitted' ? 1 : 0
  else if (type === 'String') banks.s[slot] = value as string
  else banks.x[slot] = value as readonly number[]
}

/** Returns a stored value. */
export function load(banks: Banks, type: PortType, slot: number): Scalar {
  if (type === 'Number') return banks.f[slot] as number
  if (type === 'Bool') return banks.g[slot] === 1
  if (type === 'Event') return banks.g[slot] === 1 ? 'Emitted' : 'NotEmitted'
  return (type === 'String' ? banks.s[slot] : banks.x[slot]) as Scalar
}

/** Stores a value of the context without −0. False for one that the port cannot hold. */
export function storeContext(banks: Banks, type: ScalarType, slot: number, value: Scalar): boolean {
  if (type === 'Number' && typeof value === 'number') {
    banks.f[slot] = value + 0
    return Number.isFinite(value)
  }
  const read = type === 'Series' && isPlainSeries(value) ? { scalar: value } : readValue(value, type)
  if (typeof read === 'string') return false
  store(banks, type, slot, read.scalar)
  return true
}

/** True for a series that needs no copy: finite numbers without −0. */
function isPlainSeries(value: Scalar): boolean {
  if (!Array.isArray(value)) return false
  for (const item of value as readonly unknown[])
    if (typeof item !== 'number' || !Number.isFinite(item) || Object.is(item, -0)) return false
  return true
}
