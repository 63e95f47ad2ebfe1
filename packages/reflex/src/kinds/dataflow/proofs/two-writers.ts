import { quote } from '../../../text/index.ts'
import { nodeName } from '../model/graph.ts'
import type { EventForm } from '../adapter/event-form.ts'
import { candidates, keysOf, partOf } from './candidates.ts'
import type { KindPasses, Known } from './known.ts'
import type { Lint } from './lint.ts'
import { reachableRows, type Writer } from './memory.ts'
import { possibleRows } from './possible-rows.ts'
import { type FieldValues, solve } from './solve.ts'
import { memoryBit } from './symbolic-pass.ts'
import { truthTable, type TruthTable, valueAt } from './truth-table.ts'
import { eventText, tryEvent } from './witness.ts'

/** The most rows of a table that are tried as events. */
const MOST_TRIED = 64

/** Finds keys that two actions write in one pass, each with an event at which they do. */
export function* twoWriters(known: Known): Generator<Lint> {
  for (const [key, writers] of Map.groupBy(known.writers, (writer) => writer.key))
    for (const [place, one] of writers.entries())
      for (const other of writers.slice(place + 1)) {
        if (one.planned.index === other.planned.index) continue
        const event = eventForBoth(known, one, other)
        if (event === undefined) continue
        const [first, last] = [nodeName(one.planned.node), nodeName(other.planned.node)]
        const message = `${first} and ${last} both write the key ${quote(key)} for ${event}; ${last} wins`
        yield { code: 'R1397', message, node: other.planned.node }
      }
}

function eventForBoth(known: Known, one: Writer, other: Writer): string | undefined {
  for (const kind of known.kinds) {
    const { form, pass } = kind
    const [a, b] = [pass.fires.get(one.planned.index), pass.fires.get(other.planned.index)]
    if (form === undefined || a === undefined || b === undefined) continue
    const both = pass.formulas.and(a, b)
    const table = truthTable(pass.formulas, pass.numbers.domains, [both], known.work)
    const column = table?.columns.get(both)
    if (table === undefined || column === undefined) continue
    const isReachable = reachableRows(table, known.components)
    const isPossible = possibleRows(table, pass.numbers, known.work)
    let tried = 0
    for (let row = 0; row < table.rows && tried < MOST_TRIED; row++) {
      if (column[row] !== 1 || !isReachable(row) || !isPossible(row)) continue
      tried++
      const text = confirmed(known, kind, form, { table, row, nodes: [one.planned.index, other.planned.index] })
      if (text !== undefined) return text
    }
    const text = tried === 0 ? undefined : searched(known, kind, form, [one.planned.index, other.planned.index])
    if (text !== undefined) return text
  }
  return undefined
}

/** Tries first events at and beside the numbers of the graph. */
function searched(known: Known, kind: KindPasses, form: EventForm, nodes: readonly number[]): string | undefined {
  const part = partOf(known.plan, nodes)
  for (const values of candidates(known, kind, part)) {
    const witness = tryEvent(known, known.plan, { form, values })
    if (witness !== undefined && !('error' in witness.result) && nodes.every((node) => witness.fired.has(node)))
      return eventText(form, witness.payload, keysOf(part))
  }
  return undefined
}

interface Tried {
  readonly table: TruthTable
  readonly row: number
  readonly nodes: readonly number[]
}

/** Makes the event of a row, and returns it as text if all these actions fire at it. */
function confirmed(known: Known, { pass }: KindPasses, form: EventForm, { table, row, nodes }: Tried): string | undefined {
  let values: FieldValues = new Map()
  const memory: FieldValues = new Map()
  for (const variable of table.variables) {
    const value = valueAt(variable, row)
    if (variable.term === undefined) {
      const field = form.fields.find(({ name }) => variable.name === `key ${name}`)
      if (field !== undefined) values.set(field.name, value)
      const key = form.fields.find(({ name }) => variable.name === memoryBit(name))?.name
      if (key !== undefined && value === true) memory.set(key, true)
    } else {
      const solved = solvedTerm(known, pass, variable.term, value, values)
      if (solved === undefined) return undefined
      values = solved
    }
  }
  for (const [key, value] of values) if (pass.isMemory(key)) memory.set(key, value)
  const given: FieldValues = new Map([...values].filter(([key, value]) => !pass.isMemory(key) && (value !== 0 || isRequired(form, key))))
  const witness = tryEvent(known, known.plan, { form, values: given, memory })
  if (witness === undefined || 'error' in witness.result || !nodes.every((node) => witness.fired.has(node))) return undefined
  return eventText(form, witness.payload, [...given.keys()])
}

function isRequired({ fields }: EventForm, key: string): boolean {
  return fields.some(({ name, required }) => name === key && required !== undefined)
}

function solvedTerm(
  known: Known,
  pass: KindPasses['pass'],
  term: number,
  value: number | boolean,
  values: FieldValues,
): FieldValues | undefined {
  const pair = pass.numbers.pairs.get(term)
  if (pair === undefined) return solve(known.plan, pass.places.get(term), value, values)
  const [a, b] = pair.map((one) => pass.places.get(one))
  for (const at of pass.numbers.valuesOf(pair[1])) {
    const solved = solve(known.plan, b, at, values)
    const both = solved === undefined ? undefined : solve(known.plan, a, at + Number(value), solved)
    if (both !== undefined) return both
  }
  return undefined
}
