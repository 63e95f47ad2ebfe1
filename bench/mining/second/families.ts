import { type Draw, upTo } from './draw.ts'
import type { LogOptions } from './log.ts'
import { type Operation, type Procedure, procedures } from './procedures.ts'

/** A kind of log that is hard to mine. */
export interface Family {
  readonly name: string
  readonly options: Omit<LogOptions, 'seed' | 'events'>
}

/** The families of the reference (skill 4.3). In those with noise that has a memory, the noise itself is frequent and contiguous. */
export const FAMILIES: readonly Family[] = [
  { name: 'procedures that begin alike', options: { procedures: beginningAlike } },
  { name: 'one procedure inside another', options: { procedures: nested } },
  { name: '30 % interrupted', options: { interrupted: 0.3 } },
  { name: '50 % interrupted', options: { interrupted: 0.5 } },
  { name: 'Markov noise 0.5', options: { markov: 0.5 } },
  { name: 'Markov noise 0.8', options: { markov: 0.8 } },
  { name: 'procedures over 4 symbols', options: { procedures: overFourSymbols } },
]

/** Every second procedure begins with the first two calls of the one before it. */
function beginningAlike(draw: Draw): Procedure[] {
  const all = procedures(draw)
  return all.map((one, i) => {
    const before = all[i - 1]
    if (one.trap !== undefined || i % 2 === 0 || before === undefined) return one
    return { ...one, operations: [...before.operations.slice(0, 2), ...one.operations.slice(2)] }
  })
}

/** Every second procedure is the one before it, with more calls after it. */
function nested(draw: Draw): Procedure[] {
  const all = procedures(draw)
  return all.map((one, i) => {
    const before = all[i - 1]
    if (one.trap !== undefined || i % 2 === 0 || before === undefined) return one
    return { ...one, operations: [...before.operations.slice(0, 4), ...one.operations.slice(-2)] }
  })
}

/** The calls of all procedures are of four operations. */
function overFourSymbols(draw: Draw): Procedure[] {
  const all = procedures(draw)
  const [first, second] = [all[0]?.operations ?? [], all[1]?.operations ?? []]
  const four = [...first.slice(0, 2), ...second.slice(0, 2)]
  const drawn = (one: Operation): Operation => four[upTo(draw, four.length)] ?? one
  return all.map((one) => (one.trap === undefined ? { ...one, operations: one.operations.map(drawn) } : one))
}
