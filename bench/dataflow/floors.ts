import { type LayeredNode } from './layered.ts'

/** Computes one event: the values of its keys in, the value of the last node out. */
export type Compute = (payload: Readonly<Record<string, number>>) => number

const CODES = { key: 0, constant: 1, add: 2, subtract: 3, multiply: 4, min: 5, max: 6, gt: 7, select: 8 } as const

/** The interpreter that somebody writes by hand: a list of rows, a switch, an array of values. It checks nothing. */
export function interpreterOf(nodes: readonly LayeredNode[]): Compute {
  const values = new Float64Array(nodes.length)
  const rows = new Int32Array(nodes.length * 4)
  const keys = nodes.flatMap(({ op }, i) => (op === 'key' ? [i] : []))
  let count = 0
  nodes.forEach(({ op, operands: [a = 0, b = 0, c = 0], value }, i) => {
    if (op === 'constant') values[i] = value
    if (op === 'constant' || op === 'key') return
    rows.set([CODES[op] + i * 16, a, b, c], count++ * 4)
  })
  const read = (at: number): number => values[rows[at] as number] as number
  const { add, subtract, multiply, min, max, gt } = CODES
  return (payload) => {
    for (let i = 0; i < keys.length; i++) values[keys[i] as number] = payload[`k${i}`] as number
    for (let row = 0; row < count * 4; row += 4) {
      const head = rows[row] as number
      const [out, a, b] = [head >> 4, row + 1, row + 2]
      switch (head & 15) {
        case add:
          values[out] = read(a) + read(b)
          break
        case subtract:
          values[out] = read(a) - read(b)
          break
        case multiply:
          values[out] = read(a) * read(b)
          break
        case min:
          values[out] = Math.min(read(a), read(b))
          break
        case max:
          values[out] = Math.max(read(a), read(b))
          break
        case gt:
          values[out] = read(a) > read(b) ? 1 : 0
          break
        default:
          values[out] = read(a) === 1 ? read(b) : read(row + 3)
      }
    }
    return values[nodes.length - 1] as number
  }
}

/** One function for the whole graph, line by line, that keeps every value in an array. It checks nothing. */
export function straightLineOf(nodes: readonly LayeredNode[]): Compute {
  const texts = {
    add: (a: number, b: number) => `v${a} + v${b}`,
    subtract: (a: number, b: number) => `v${a} - v${b}`,
    multiply: (a: number, b: number) => `v${a} * v${b}`,
    min: (a: number, b: number) => `Math.min(v${a}, v${b})`,
    max: (a: number, b: number) => `Math.max(v${a}, v${b})`,
    gt: (a: number, b: number) => `v${a} > v${b}`,
    select: (a: number, b: number, c: number) => `v${a} ? v${b} : v${c}`,
  }
  const lines = nodes.map(({ op, operands: [a = 0, b = 0, c = 0], value }, i) => {
    const text = op === 'key' ? `payload.k${i}` : op === 'constant' ? String(value) : texts[op](a, b, c)
    return `const v${i} = ${text}; kept[${i}] = ${op === 'gt' ? `v${i} ? 1 : 0` : `v${i}`}`
  })
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the text is made of our own operations and numbers
  const run = new Function('payload', 'kept', [...lines, `return v${nodes.length - 1}`].join('\n')) as (
    payload: Readonly<Record<string, number>>,
    kept: Float64Array,
  ) => number
  const kept = new Float64Array(nodes.length)
  return (payload) => run(payload, kept)
}
