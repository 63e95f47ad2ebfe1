import type { Banks } from './banks.ts'
import type { SegmentCode } from './grouped.ts'
import type { Program, Row, Slot } from './program.ts'
import { SERIES_HELPERS } from './series-operations.ts'

/** The number of nodes of one generated function: a larger one is not optimized. */
const CHUNK = 250
/** The sums of poison of a function. One alone would make each addition wait for the one before. */
const SUMS = 4

type Chunk = (f: Banks['f'], g: Banks['g'], s: Banks['s'], x: Banks['x'], h: typeof SERIES_HELPERS) => number

/**
 * Returns the rows of each segment of a program as generated functions; undefined where evaluation of strings is not allowed. The text of a
 * function has operations, slots and finite numbers, and nothing that a document states as text.
 */
export function generatedCode(program: Program): readonly SegmentCode[] | undefined {
  const segments = program.segments.map(({ rows }) => chunksOf(rows))
  const stored = usedElsewhere(program, segments.flat())
  try {
    return segments.map((chunks) => {
      const functions = chunks.map((rows) => compile(chunkText(rows, program.constants, stored)))
      return ({ f, g, s, x }) => {
        let poison = 0
        for (const compute of functions) poison += compute(f, g, s, x, SERIES_HELPERS)
        return poison
      }
    })
  } catch (thrown) {
    if (thrown instanceof EvalError) return undefined
    throw thrown
  }
}

function chunksOf(rows: readonly Row[]): (readonly Row[])[] {
  return Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, i) => rows.slice(i * CHUNK, (i + 1) * CHUNK))
}

function compile(text: string): Chunk {
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the text is made of our own operations, slots and numbers
  return new Function('f', 'g', 's', 'x', 'h', text) as Chunk
}

/** Returns the slots that calls, actions, boundary outputs and other chunks read. */
function usedElsewhere({ segments, actions, outputs }: Program, chunks: readonly (readonly Row[])[]): Set<Slot> {
  const stored = new Set<Slot>()
  for (const { call } of segments) for (const [, slot] of call?.inputs ?? []) stored.add(slot)
  for (const { inputs } of actions) for (const slot of inputs.values()) stored.add(slot)
  for (const { slot } of outputs) if (slot !== undefined) stored.add(slot)
  for (const rows of chunks) {
    const inside = new Set(rows.map(({ out }) => out))
    for (const { operands } of rows) for (const operand of operands) if (!inside.has(operand)) stored.add(operand)
  }
  return stored
}

/** Returns the body of a function that computes rows in their order, and stores the results that are read elsewhere. */
function chunkText(rows: readonly Row[], constants: Program['constants'], stored: ReadonlySet<Slot>): string {
  const lines = [`let ${Array.from({ length: SUMS }, (_, i) => `p${i} = 0`).join(', ')}`]
  const names = new Map<Slot, string>()
  const nameOf = (slot: Slot | undefined): string => {
    if (slot === undefined) return ''
    const known = names.get(slot)
    if (known !== undefined) return known
    const constant = slot.bank === 'f' || slot.bank === 'g' ? constants.get(slot) : undefined
    const name = constant === undefined ? `${slot.bank}${slot.at}` : `(${constant})`
    if (constant === undefined) lines.push(`const ${name} = ${slot.bank}[${slot.at}]`)
    names.set(slot, name)
    return name
  }
  rows.forEach(({ operation, operands, out }, i) => {
    const [a, b, c] = operands.map(nameOf)
    const name = `${out.bank}${out.at}`
    lines.push(`const ${name} = ${operation.code(a ?? '', b ?? '', c ?? '')}`)
    names.set(out, name)
    if (stored.has(out)) lines.push(`${out.bank}[${out.at}] = ${name}`)
    if (operation.canPoison === true) lines.push(`p${i % SUMS} += ${name} - ${name}`)
  })
  return [...lines, `return ${Array.from({ length: SUMS }, (_, i) => `p${i}`).join(' + ')}`].join('\n')
}
