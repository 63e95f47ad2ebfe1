import { bitAt, numberAt, type Operation, ROW } from './operation.ts'

/** The operations on numbers. `+ 0` makes 0 of the −0 that a product or quotient can be. */
export const NUMBER_OPERATIONS: Readonly<Record<string, Operation>> = {
  abs: {
    loop({ f }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        f[rows[i] as number] = Math.abs(numberAt(f, rows, i + 1))
      }
      return 0
    },
    code: (a) => `Math.abs(${a})`,
  },
  negate: {
    loop({ f }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        f[rows[i] as number] = 0 - numberAt(f, rows, i + 1)
      }
      return 0
    },
    code: (a) => `0 - ${a}`,
  },
  add: {
    canPoison: true,
    loop({ f }, rows) {
      let poison = 0
      for (let i = 0; i < rows.length; i += ROW) {
        const value = numberAt(f, rows, i + 1) + numberAt(f, rows, i + 2)
        f[rows[i] as number] = value
        poison += value - value
      }
      return poison
    },
    code: (a, b) => `${a} + ${b}`,
  },
  subtract: {
    canPoison: true,
    loop({ f }, rows) {
      let poison = 0
      for (let i = 0; i < rows.length; i += ROW) {
        const value = numberAt(f, rows, i + 1) - numberAt(f, rows, i + 2)
        f[rows[i] as number] = value
        poison += value - value
      }
      return poison
    },
    code: (a, b) => `${a} - ${b}`,
  },
  multiply: {
    canPoison: true,
    loop({ f }, rows) {
      let poison = 0
      for (let i = 0; i < rows.length; i += ROW) {
        const value = numberAt(f, rows, i + 1) * numberAt(f, rows, i + 2) + 0
        f[rows[i] as number] = value
        poison += value - value
      }
      return poison
    },
    code: (a, b) => `${a} * ${b} + 0`,
  },
  divide: {
    canPoison: true,
    loop({ f }, rows) {
      let poison = 0
      for (let i = 0; i < rows.length; i += ROW) {
        const value = numberAt(f, rows, i + 1) / numberAt(f, rows, i + 2) + 0
        f[rows[i] as number] = value
        poison += value - value
      }
      return poison
    },
    code: (a, b) => `${a} / ${b} + 0`,
  },
  safe_divide: {
    parameter: 'fallback',
    loop({ f }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        const quotient = numberAt(f, rows, i + 1) / numberAt(f, rows, i + 2)
        f[rows[i] as number] = quotient - quotient === 0 ? quotient + 0 : numberAt(f, rows, i + 3)
      }
      return 0
    },
    code: (a, b, c) => `${a} / ${b} - ${a} / ${b} === 0 ? ${a} / ${b} + 0 : ${c}`,
  },
  min: {
    loop({ f }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        f[rows[i] as number] = Math.min(numberAt(f, rows, i + 1), numberAt(f, rows, i + 2))
      }
      return 0
    },
    code: (a, b) => `Math.min(${a}, ${b})`,
  },
  max: {
    loop({ f }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        f[rows[i] as number] = Math.max(numberAt(f, rows, i + 1), numberAt(f, rows, i + 2))
      }
      return 0
    },
    code: (a, b) => `Math.max(${a}, ${b})`,
  },
  select: {
    loop({ f, g }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        f[rows[i] as number] = bitAt(g, rows, i + 1) === 1 ? numberAt(f, rows, i + 2) : numberAt(f, rows, i + 3)
      }
      return 0
    },
    code: (a, b, c) => `${a} === 1 ? ${b} : ${c}`,
  },
}
