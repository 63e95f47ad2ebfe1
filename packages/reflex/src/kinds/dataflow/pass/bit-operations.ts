import { bitAt, numberAt, type Operation, ROW } from './operation.ts'

/** The operations with a Bool or an event as their result, which is 0 or 1. */
export const BIT_OPERATIONS: Readonly<Record<string, Operation>> = {
  gt: {
    loop({ f, g }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        g[rows[i] as number] = numberAt(f, rows, i + 1) > numberAt(f, rows, i + 2) ? 1 : 0
      }
      return 0
    },
    code: (a, b) => `${a} > ${b} ? 1 : 0`,
  },
  gte: {
    loop({ f, g }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        g[rows[i] as number] = numberAt(f, rows, i + 1) >= numberAt(f, rows, i + 2) ? 1 : 0
      }
      return 0
    },
    code: (a, b) => `${a} >= ${b} ? 1 : 0`,
  },
  lt: {
    loop({ f, g }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        g[rows[i] as number] = numberAt(f, rows, i + 1) < numberAt(f, rows, i + 2) ? 1 : 0
      }
      return 0
    },
    code: (a, b) => `${a} < ${b} ? 1 : 0`,
  },
  lte: {
    loop({ f, g }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        g[rows[i] as number] = numberAt(f, rows, i + 1) <= numberAt(f, rows, i + 2) ? 1 : 0
      }
      return 0
    },
    code: (a, b) => `${a} <= ${b} ? 1 : 0`,
  },
  eq: {
    loop({ f, g }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        g[rows[i] as number] = numberAt(f, rows, i + 1) === numberAt(f, rows, i + 2) ? 1 : 0
      }
      return 0
    },
    code: (a, b) => `${a} === ${b} ? 1 : 0`,
  },
  neq: {
    loop({ f, g }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        g[rows[i] as number] = numberAt(f, rows, i + 1) !== numberAt(f, rows, i + 2) ? 1 : 0
      }
      return 0
    },
    code: (a, b) => `${a} !== ${b} ? 1 : 0`,
  },
  and: {
    loop({ g }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        g[rows[i] as number] = bitAt(g, rows, i + 1) & bitAt(g, rows, i + 2)
      }
      return 0
    },
    code: (a, b) => `${a} & ${b}`,
  },
  or: {
    loop({ g }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        g[rows[i] as number] = bitAt(g, rows, i + 1) | bitAt(g, rows, i + 2)
      }
      return 0
    },
    code: (a, b) => `${a} | ${b}`,
  },
  not: {
    loop({ g }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        g[rows[i] as number] = bitAt(g, rows, i + 1) ^ 1
      }
      return 0
    },
    code: (a) => `${a} ^ 1`,
  },
  select_bool: {
    loop({ g }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        g[rows[i] as number] = bitAt(g, rows, i + 1) === 1 ? bitAt(g, rows, i + 2) : bitAt(g, rows, i + 3)
      }
      return 0
    },
    code: (a, b, c) => `${a} === 1 ? ${b} : ${c}`,
  },
  emit_if_true: {
    loop({ g }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        g[rows[i] as number] = bitAt(g, rows, i + 1)
      }
      return 0
    },
    code: (a) => a,
  },
  emit_if_event_and_true: {
    loop({ g }, rows) {
      for (let i = 0; i < rows.length; i += ROW) {
        g[rows[i] as number] = bitAt(g, rows, i + 1) & bitAt(g, rows, i + 2)
      }
      return 0
    },
    code: (a, b) => `${a} & ${b}`,
  },
}
