import type { PlannedNode } from '../pass/plan.ts'
import { type TruthTable, truthTable, valueAt, type Work } from './truth-table.ts'
import { memoryBit, type SymbolicPass } from './symbolic-pass.ts'

/** The most Bool keys whose states are searched together. */
const MOST_BITS = 16

/** An action that writes a key. `port`: the input with the value; absent for a parameter of the action. */
export interface Writer {
  readonly planned: PlannedNode
  readonly key: string
  readonly port: string | undefined
}

/** The states of a few Bool keys that depend on each other. A state is a number: bit i is the key at place i. */
export interface Component {
  readonly keys: readonly string[]
  /** The states that the graph can reach from the first event on; undefined if they are too many to search. */
  readonly reachable: ReadonlySet<number> | undefined
  /** The states that can follow a state. */
  readonly next: ReadonlyMap<number, ReadonlySet<number>>
}

/** Returns the writers of keys, in the order of evaluation. */
export function writersOf(nodes: readonly PlannedNode[]): Writer[] {
  return nodes.flatMap((planned) => {
    const own = planned.writes.map(({ key, from }): Writer => ({ planned, key, port: from }))
    const mirrored = planned.intents.flatMap(({ fields, mirrors }) =>
      mirrors.map(({ key, from }): Writer => ({ planned, key, port: fields.find(({ name }) => name === from)?.from_input })),
    )
    return [...own, ...mirrored]
  })
}

/** Returns the groups of Bool keys that depend on each other, each with the states that it can reach. */
export function componentsOf(
  passes: readonly SymbolicPass[],
  writers: readonly Writer[],
  keys: readonly string[],
  work: Work,
): Component[] {
  const nextOf = (pass: SymbolicPass, key: string): number => {
    let value = pass.formulas.bit(memoryBit(key))
    for (const writer of writers) {
      const fires = pass.fires.get(writer.planned.index)
      if (writer.key !== key || fires === undefined) continue
      const written = writer.port === undefined ? pass.formulas.bit(`parameter ${key}`) : pass.condition(writer.planned, writer.port)
      value = pass.formulas.choose(fires, written, value)
    }
    return value
  }
  return groups(passes, keys, nextOf).map((group) => search(passes, group, nextOf, work))
}

type NextOf = (pass: SymbolicPass, key: string) => number

/** Groups keys so that the next values of a group depend on no key of another one. */
function groups(passes: readonly SymbolicPass[], keys: readonly string[], nextOf: NextOf): string[][] {
  const found: string[][] = keys.map((key) => [key])
  for (const pass of passes)
    for (const key of keys)
      for (const part of pass.formulas.partsOf([nextOf(pass, key)])) {
        const formula = pass.formulas.list[part]
        const other = formula?.kind === 'bit' ? keys.find((each) => memoryBit(each) === formula.name) : undefined
        if (other === undefined || other === key) continue
        const [one, two] = [found.findIndex((group) => group.includes(key)), found.findIndex((group) => group.includes(other))]
        if (one === two) continue
        found[one]?.push(...(found[two] ?? []))
        found.splice(two, 1)
      }
  return found.map((group) => group.toSorted())
}

/** Searches the states of a group, breadth first. */
function search(passes: readonly SymbolicPass[], keys: readonly string[], nextOf: NextOf, work: Work): Component {
  const next = new Map<number, Set<number>>()
  const component = { keys, next, reachable: undefined }
  if (keys.length > MOST_BITS) return component
  for (const pass of passes) {
    const roots = keys.map((key) => nextOf(pass, key))
    const table = truthTable(pass.formulas, pass.numbers.domains, roots, work, keys.map(memoryBit))
    if (table === undefined) return component
    const stateOf = stateReader(table, keys)
    const columns = roots.map((root) => table.columns.get(root))
    for (let row = 0; row < table.rows; row++) {
      const state = stateOf(row)
      const after = columns.reduce((bits, column, place) => bits | ((column?.[row] ?? 0) << place), 0)
      const known = next.get(state)
      if (known === undefined) next.set(state, new Set([after]))
      else known.add(after)
    }
  }
  const reachable = new Set([0])
  for (const state of reachable) for (const after of next.get(state) ?? []) reachable.add(after)
  return { keys, next, reachable }
}

/** Returns a function that gives the state of keys in a row of a table. A key that the table does not have is false. */
export function stateReader({ variables }: TruthTable, keys: readonly string[]): (row: number) => number {
  const bits = keys.flatMap((key, place) => {
    const variable = variables.find(({ name, term }) => term === undefined && name === memoryBit(key))
    return variable === undefined ? [] : [{ variable, place }]
  })
  return (row) => bits.reduce((state, { variable, place }) => (valueAt(variable, row) === true ? state | (1 << place) : state), 0)
}

/** Returns a function that tells whether the graph can be in the state of a row. */
export function reachableRows(table: TruthTable, components: readonly Component[]): (row: number) => boolean {
  const judges = components.flatMap(({ keys, reachable }) => {
    const known = keys.filter((key) => table.variables.some(({ name, term }) => term === undefined && name === memoryBit(key)))
    if (reachable === undefined || known.length === 0) return []
    const places = known.map((key) => keys.indexOf(key))
    const allowed = new Set([...reachable].map((state) => project(state, places)))
    const stateOf = stateReader(table, known)
    return [(row: number): boolean => allowed.has(stateOf(row))]
  })
  return (row) => judges.every((judge) => judge(row))
}

function project(state: number, places: readonly number[]): number {
  return places.reduce((bits, place, to) => bits | (((state >> place) & 1) << to), 0)
}
