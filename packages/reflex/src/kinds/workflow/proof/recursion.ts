import { quote } from '../../../text/index.ts'
import { cyclesOf } from '../cycles.ts'
import type { Finding } from './finding.ts'
import type { Prover } from './prover.ts'
import type { Sheet, Stop } from './sheet.ts'

/** Workflows that one calls, and those call, that are looked at; of the rest it is taken that they end. */
const MOST_WORKFLOWS = 10_000

/**
 * Calls that never return, since each path of what they call leads to a call that never returns: loops by recursion
 * without a way out (seed workflow 1.5). Found as a least fixed point: a workflow can end if some path of it, over guards
 * that can be open, meets only calls of workflows that can. Workflows that are not known can.
 */
export function endlessCalls(prover: Prover, sheet: Sheet): Finding[] {
  const endless = endlessOf(prover, sheet)
  if (endless.size === 0) return []
  return sheet.stops.flatMap(({ id, invokes, linked }): Finding[] => {
    const child = invokes === undefined ? undefined : prover.sheetOf(invokes.workflowId)
    if (!linked || child === undefined || !endless.has(child)) return []
    const name = quote(child.workflow.id)
    const self = child === sheet
    return [
      {
        rule: 'ENDLESS_RECURSION',
        nodeId: id,
        key: '',
        message: `node ${quote(id)} calls ${self ? 'its own workflow' : name}, which never ends`,
        path: ['nodes', id, 'invokes', 'workflowId'],
        note: self ? `each path of ${name} leads here` : `each path of ${name} leads to a call that never returns`,
        fix: 'give it a path to an end without such a call, and let a guard choose between the two',
      },
    ]
  })
}

/** The workflows that a workflow leads to, itself among them, of which no run can end. */
function endlessOf(prover: Prover, start: Sheet): ReadonlySet<Sheet> {
  const all = new Set([start])
  const callers = new Map<Sheet, Set<Sheet>>()
  for (const sheet of all) {
    for (const { invokes } of sheet.stops) {
      const child = invokes === undefined ? undefined : prover.sheetOf(invokes.workflowId)
      if (child === undefined || (!all.has(child) && all.size >= MOST_WORKFLOWS)) continue
      all.add(child)
      callers.set(child, (callers.get(child) ?? new Set()).add(sheet))
    }
  }
  const recursive = onCircles(all, callers)
  const ending = new Set<Sheet>()
  const queue = [...all].reverse()
  for (const sheet of queue) {
    if (ending.has(sheet)) continue
    const returns = ({ invokes }: Stop): boolean => {
      const child = invokes === undefined ? undefined : prover.sheetOf(invokes.workflowId)
      return child === undefined || ending.has(child) || !all.has(child)
    }
    if (!hasPathToEnd(sheet, returns) || (recursive.has(sheet) && !prover.canEnd(sheet, returns))) continue
    ending.add(sheet)
    queue.push(...(callers.get(sheet) ?? []))
  }
  return new Set([...all].filter((sheet) => !ending.has(sheet)))
}

/** The workflows that call themselves, perhaps through others: of these alone guards are asked. */
function onCircles(all: ReadonlySet<Sheet>, callers: ReadonlyMap<Sheet, ReadonlySet<Sheet>>): ReadonlySet<Sheet> {
  const byName = new Map(Array.from(all, (sheet) => [sheet.workflow.id, sheet]))
  const callersOf = (name: string): string[] => {
    const sheet = byName.get(name)
    return Array.from(sheet === undefined ? [] : (callers.get(sheet) ?? []), ({ workflow }) => workflow.id)
  }
  const circles = cyclesOf([...byName.keys()], callersOf)
  return new Set(circles.flat().flatMap((name) => byName.get(name) ?? []))
}

/** Whether some path from the entry to an end meets only nodes that are got past, whatever guards say. */
function hasPathToEnd(sheet: Sheet, returns: (stop: Stop) => boolean): boolean {
  // A workflow without an entry or an end is refused for that.
  if (sheet.entry === -1 || sheet.graph.terminals.length === 0) return true
  const passable = new Set<number>()
  for (const [place, stop] of sheet.stops.entries()) {
    if (place !== sheet.entry && !stop.arriving.some(({ from }) => passable.has(from))) continue
    if (!returns(stop)) continue
    if (sheet.graph.outgoing(stop.id).length === 0) return true
    passable.add(place)
  }
  return false
}
