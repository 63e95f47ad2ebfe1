import { nodeName } from '../model/graph.ts'
import type { PlannedNode } from '../pass/plan.ts'
import { FALSE } from './formulas.ts'
import type { Known } from './known.ts'
import { reachableRows } from './memory.ts'
import type { Lint } from './lint.ts'
import { possibleRows } from './possible-rows.ts'
import { truthTable } from './truth-table.ts'

/** Returns the actions that cannot fire at any event, in any state that the graph can reach. */
export function neverFiring(known: Known): PlannedNode[] {
  return known.kinds.length === 0 ? [] : known.actions.filter((action) => known.kinds.every((_, kind) => !canFire(known, action, kind)))
}

/** Finds actions that never fire. */
export function* neverFires(known: Known, never: readonly PlannedNode[]): Generator<Lint> {
  for (const { node, index } of never) {
    const isAlways = known.kinds.every(({ pass }) => pass.fires.get(index) === FALSE)
    const why = isAlways ? 'its condition is false whatever the event is' : 'no event that the adapter allows makes its gates emit together'
    yield { code: 'R1396', message: `${nodeName(node)} never fires: ${why}`, node }
  }
}

/** True unless it is proved that an action cannot fire at an event of a kind. */
function canFire({ kinds, components, work }: Known, { index }: PlannedNode, kind: number): boolean {
  const pass = kinds[kind]?.pass
  const fires = pass?.fires.get(index)
  if (pass === undefined || fires === undefined || fires === FALSE) return false
  const table = truthTable(pass.formulas, pass.numbers.domains, [fires], work)
  const column = table?.columns.get(fires)
  if (table === undefined || column === undefined) return true
  const isReachable = reachableRows(table, components)
  const isPossible = possibleRows(table, pass.numbers, work)
  return column.some((fired, row) => fired === 1 && isReachable(row) && isPossible(row))
}
