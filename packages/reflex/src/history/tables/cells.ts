import type { Json } from '../../kernel/index.ts'
import type { ColumnType } from './tables.ts'

/** What stands in a column of a row. */
export type Cell = Json

const END_OF_TIME = 8_640_000_000_000_000

const FITS: Readonly<Record<ColumnType, (value: Json) => boolean>> = {
  text: (value) => typeof value === 'string',
  whole: (value) => Number.isSafeInteger(value),
  number: (value) => Number.isFinite(value),
  time: (value) => typeof value === 'number' && Math.abs(value) <= END_OF_TIME,
  flag: (value) => typeof value === 'boolean',
  json: () => true,
}

/** A value as it stands in a column; null where it is not known, or nothing that the column could hold: half a token, a time that no calendar has. */
export function cellOf(value: Json | undefined, type: ColumnType): Cell {
  return value !== undefined && FITS[type](value) ? value : null
}
