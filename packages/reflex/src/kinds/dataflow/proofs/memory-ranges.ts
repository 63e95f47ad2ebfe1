import type { EventForm } from '../adapter/event-form.ts'
import type { Plan } from '../pass/plan.ts'
import { ANY_NUMBER, type Domain, exactly } from './domain.ts'
import type { Writer } from './memory.ts'
import { joined } from './ranges.ts'
import { type MemoryRanges, type Suspect, SymbolicPass } from './symbolic-pass.ts'

/** The rounds in which a range may grow; after them, a bound that still grows is taken to be infinite. */
const EXACT_ROUNDS = 3
const MOST_ROUNDS = 8

/** The values that the keys of a graph can have, and the calculations that failed while they were found, for each kind of event. */
export interface KnownMemory {
  readonly ranges: MemoryRanges
  readonly suspects: readonly (readonly Suspect[])[]
}

/**
 * Returns the values that number keys, and the elements of series, can have: 0 or none at first, and then what actions that can fire write.
 * Each round adds what one more event can write. A range that never stops growing is unknown.
 */
export function memoryRanges(
  plan: Plan,
  forms: readonly (EventForm | undefined)[],
  writers: readonly Writer[],
  written: ReadonlySet<string>,
): KnownMemory {
  let ranges = startOf(plan, written)
  const suspects: Suspect[][] = forms.map(() => [])
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const passes = forms.map((form) => new SymbolicPass(plan, { form, written, ranges }))
    for (const [kind, pass] of passes.entries()) suspects[kind]?.push(...pass.suspects.map((one) => ({ ...one, isCertain: false })))
    const next = new Map(ranges)
    for (const writer of writers)
      for (const pass of passes) {
        if (!next.has(writer.key) || !pass.canFire(writer.planned.index)) continue
        const [before, more] = [next.get(writer.key), valuesWritten(pass, writer)]
        next.set(writer.key, before === undefined || more === undefined ? (before ?? more) : joined(before, more))
      }
    if ([...next].every(([key, domain]) => isSame(domain, ranges.get(key)))) return { ranges, suspects }
    ranges = round < EXACT_ROUNDS ? next : new Map([...next].map(([key, domain]) => [key, widened(ranges.get(key), domain)]))
  }
  return { ranges: new Map([...ranges].map(([key]) => [key, ANY_NUMBER])), suspects }
}

function startOf({ nodes }: Plan, written: ReadonlySet<string>): MemoryRanges {
  const read = nodes.flatMap(({ keys }) => keys).filter(({ key }) => written.has(key))
  const numbers = read.filter(({ type }) => type === 'Number').map(({ key }) => [key, exactly(0)] as const)
  const series = read.filter(({ type }) => type === 'Series').map(({ key }) => [key, undefined] as const)
  return new Map<string, Domain | undefined>([...series, ...numbers])
}

/** Returns the range of what an action writes; undefined for a series that is empty. */
function valuesWritten(pass: SymbolicPass, { planned, port }: Writer): Domain | undefined {
  const value = port === undefined ? undefined : pass.input(planned, port)
  if (value?.type === 'Number') return value.number.domain
  return value?.type === 'other' && value.series !== undefined ? value.series.elements : ANY_NUMBER
}

function isSame(a: Domain | undefined, b: Domain | undefined): boolean {
  return a?.low === b?.low && a?.high === b?.high && a?.points?.length === b?.points?.length
}

function widened(before: Domain | undefined, after: Domain | undefined): Domain | undefined {
  if (before === undefined || after === undefined || isSame(before, after)) return after
  return {
    low: after.low < before.low ? Number.NEGATIVE_INFINITY : after.low,
    high: after.high > before.high ? Number.POSITIVE_INFINITY : after.high,
  }
}
