import { quote } from '../../../text/index.ts'
import { nodeName, type ValidatedGraph } from '../model/graph.ts'
import type { PlannedNode } from '../pass/plan.ts'
import { beginsAtZero } from './begins-at-zero.ts'
import type { KindPasses, Known } from './known.ts'
import type { Lint } from './lint.ts'
import { type Component, reachableRows, type Writer } from './memory.ts'
import { truthTable, valueAt } from './truth-table.ts'

/** Finds Bool keys that are stuck: true for ever once they are true, or never true although an action writes them. */
export function* stuckKeys(known: Known, never: readonly PlannedNode[]): Generator<Lint> {
  const { plan, components, writers } = known
  for (const component of components) {
    for (const [place, key] of component.keys.entries()) {
      const own = writers.filter((writer) => writer.key === key && !never.includes(writer.planned))
      const [writer] = own
      const stuck = stuckAt(component, place)
      if (writer === undefined || stuck === undefined) continue
      const node = writer.planned.node
      if (!stuck) {
        const message = `the key ${quote(key)} stays false for ever: ${nodeName(node)} never writes true`
        yield { code: 'R1398', message, node, fix: 'correct the condition that sets it' }
      } else if (matters(known, key) && !own.every((one) => isLiteral(plan.graph, one))) {
        const message = `the key ${quote(key)} never becomes false again once ${nodeName(node)} has written true`
        yield { code: 'R1398', message, node, fix: 'correct the condition that resets it' }
      }
    }
  }
}

/** Returns the value that a key keeps for ever: true from the moment it has it, or false from the start. */
function stuckAt({ reachable, next }: Component, place: number): boolean | undefined {
  if (reachable === undefined) return undefined
  const isSet = (state: number): boolean => ((state >> place) & 1) === 1
  const set = [...reachable].filter(isSet)
  if (set.length === 0) return false
  return set.every((state) => [...(next.get(state) ?? [])].every(isSet)) ? true : undefined
}

/** True if a trigger or the value of another key depends on a key. A key that is only shown may say that something has ever happened. */
function matters({ plan: { graph, nodes }, writers }: Known, key: string): boolean {
  const reached = new Set(nodes.filter(({ keys }) => keys.some((read) => read.key === key)).map(({ index }) => index))
  for (const { index, inputs } of nodes) if (inputs.some(({ from }) => reached.has(from.node))) reached.add(index)
  const isTrigger = [...reached].some((index) => graph.nodes[index]?.primitive.kind === 'trigger')
  return isTrigger || writers.some((writer) => writer.key !== key && reached.has(writer.planned.index))
}

/** True for a writer whose value is written in the graph: a key that is set once is meant to stay. */
function isLiteral({ nodes }: ValidatedGraph, { planned, port }: Writer): boolean {
  const from = planned.inputs.find((input) => input.port === port)?.from
  const op = from === undefined ? undefined : nodes[from.node]?.primitive.op
  return port === undefined || op === 'boolean_source' || op === 'const_bool'
}

/** Finds actions that fire at every first event because numbers that nothing has written yet are read as 0. */
export function* firstEvents(known: Known, never: readonly PlannedNode[]): Generator<Lint> {
  for (const action of known.actions) {
    if (never.includes(action)) continue
    for (const kind of known.kinds) {
      const key = kind.form === undefined ? undefined : numberThatMatters(known, kind, action)
      if (key === undefined) continue
      const name = nodeName(action.node)
      const message = `${name} always fires at the first event: the key ${quote(key)} is read as 0 before an action has written it`
      yield { code: 'R1398', message, node: action.node, fix: `add a Bool key that is true once ${quote(key)} has a value` }
      break
    }
  }
}

/** Returns the key of a number on which an action depends that fires at each first event, but not at each event. */
function numberThatMatters(known: Known, { pass, first }: KindPasses, { index }: PlannedNode): string | undefined {
  const { components, work } = known
  const [fires, atFirst] = [pass.fires.get(index), first.fires.get(index)]
  if (fires === undefined || atFirst === undefined) return undefined
  const keys = pass.formulas.partsOf([fires]).flatMap((part) => {
    const formula = pass.formulas.list[part]
    return formula?.kind === 'atom' ? [...pass.numbers.memoryOf(formula.term)].filter((key) => !beginsAtZero(known, key)) : []
  })
  const [key] = keys.sort()
  if (key === undefined) return undefined
  const [all, start] = [
    truthTable(pass.formulas, pass.numbers.domains, [fires], work),
    truthTable(first.formulas, first.numbers.domains, [atFirst], work),
  ]
  const [column, startColumn] = [all?.columns.get(fires), start?.columns.get(atFirst)]
  if (all === undefined || start === undefined || column === undefined || startColumn === undefined) return undefined
  const isReachable = reachableRows(all, components)
  if (column.every((fired, row) => fired === 1 || !isReachable(row))) return undefined
  // A number of the event that is 0 itself equals what an absent key is read as.
  const isZero = (row: number): boolean => start.variables.some((variable) => variable.term !== undefined && valueAt(variable, row) === 0)
  return startColumn.some((fired) => fired === 1) && startColumn.every((fired, row) => fired === 1 || isZero(row)) ? key : undefined
}
