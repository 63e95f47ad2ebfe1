import { faults } from './faults.ts'

/** A run, or the state of a run after one of its records. */
export interface Address {
  readonly ref: string
  readonly at?: number
}

/** Reads `otter-2m9q` and `otter-2m9q@21`. Throws `R2031` if no record number follows the `@`. */
export function readAddress(text: string): Address {
  const sign = text.lastIndexOf('@')
  if (sign < 0) return { ref: text }
  const number = text.slice(sign + 1)
  if (/^\d{1,9}$/.test(number)) return { ref: text.slice(0, sign), at: Number(number) }
  throw faults.make('R2031', `${text} has no record number after the @`, { fix: 'write RUN@21' })
}

/** A run, a state of it, or a part of one of its records. */
export interface PartAddress extends Address {
  readonly part?: number
}

/** Reads also `otter-2m9q@21.3`: the third part of record 21. Throws `R2031` for a text after the `@` that is neither. */
export function readPartAddress(text: string): PartAddress {
  const [, record = '', part] = /^(.+@\d{1,9})\.(\d{1,9})$/.exec(text) ?? []
  return part === undefined ? readAddress(text) : { ...readAddress(record), part: Number(part) }
}
