import { sumOf } from '../primitives/series.ts'
import { numberAt, type Operation, ROW, seriesAt } from './operation.ts'

/** The functions that generated code calls, as `h`. */
export const SERIES_HELPERS = { sumOf, meanOf, append, last } as const

/** The operations on series. */
export const SERIES_OPERATIONS: Readonly<Record<string, Operation>> = {
  append: {
    loop({ f, x }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        x[rows[i] as number] = append(seriesAt(x, rows, i + 1), numberAt(f, rows, i + 2))
      }
      return 0
    },
    code: (a, b) => `h.append(${a}, ${b})`,
  },
  window: {
    parameter: 'size',
    loop({ f, x }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        x[rows[i] as number] = last(seriesAt(x, rows, i + 1), numberAt(f, rows, i + 2))
      }
      return 0
    },
    code: (a, b) => `h.last(${a}, ${b})`,
  },
  mean: {
    canPoison: true,
    loop({ f, x }, rows) {
      let poison = 0
      for (let i = 0; i < rows.length; i += ROW) {
        const value = meanOf(seriesAt(x, rows, i + 1))
        f[rows[i] as number] = value
        poison += value - value
      }
      return poison
    },
    code: (a) => `h.meanOf(${a})`,
  },
  sum: {
    canPoison: true,
    loop({ f, x }, rows) {
      let poison = 0
      for (let i = 0; i < rows.length; i += ROW) {
        const value = sumOf(seriesAt(x, rows, i + 1))
        f[rows[i] as number] = value
        poison += value - value
      }
      return poison
    },
    code: (a) => `h.sumOf(${a})`,
  },
  len: {
    loop({ f, x }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        f[rows[i] as number] = seriesAt(x, rows, i + 1).length
      }
      return 0
    },
    code: (a) => `${a}.length`,
  },
}

function append(series: readonly number[], value: number): readonly number[] {
  const longer = series.slice()
  longer.push(value)
  return longer
}

/** Returns the last values. The size is a whole number above 0. */
function last(series: readonly number[], size: number): readonly number[] {
  return series.length <= size ? series : series.slice(series.length - size)
}

function meanOf(series: readonly number[]): number {
  return series.length === 0 ? 0 : sumOf(series) / series.length + 0
}
