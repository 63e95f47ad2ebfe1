import { type Part, type Path, quote, suggester, type Suggester } from '../../../text/index.ts'
import type { Finding } from './finding.ts'
import { mentionsOf } from './mentions.ts'
import { near } from './near.ts'
import type { Prover } from './prover.ts'
import type { Sheet, Stop } from './sheet.ts'

/** Workflows that one leads to whose reads are looked at. */
const MOST_WORKFLOWS = 200

/** A key to which something is given, on one board or another. */
interface Giving {
  readonly key: string
  /** On whose board. */
  readonly sheet: Sheet
  readonly message: string
  readonly at: Path
  readonly part?: Part | undefined
}

/**
 * Keys that are written, returned or handed down, that the board does not declare and nobody reads, and that are nearly
 * the name of one that it does: most likely slips (seed workflow 6.3).
 */
export function undeclaredKeys(prover: Prover, sheet: Sheet): Finding[] {
  const names = new Map<Sheet, Suggester>()
  const read = new Map<Sheet, ReadonlySet<string> | undefined>()
  const seen = new Set<string>()
  return sheet.stops.flatMap((stop) =>
    givings(prover, sheet, stop).flatMap(({ key, sheet: on, message, at, part }): Finding[] => {
      const { board } = on.workflow
      const id = JSON.stringify(at)
      if (board === undefined || Object.hasOwn(board, key) || seen.has(id)) return []
      seen.add(id)
      if (!names.has(on)) names.set(on, suggester(Object.keys(board)))
      const meant = near(key, names.get(on) ?? suggester([]))
      if (meant === undefined) return []
      if (!read.has(on)) read.set(on, keysRead(prover, on))
      if (read.get(on)?.has(key) !== false) return []
      const fix = `write ${quote(meant)}`
      return [{ rule: 'UNDECLARED_KEY', nodeId: stop.id, key, message, path: at, part, fix, guess: () => meant }]
    }),
  )
}

function givings(prover: Prover, sheet: Sheet, { id, node, flow, invokes }: Stop): Giving[] {
  const child = invokes === undefined ? undefined : prover.sheetOf(invokes.workflowId)
  const writes = (key: string): string => `node ${quote(id)} writes ${quote(key)}, which the board does not declare`
  return [
    ...[...flow.writes, ...flow.ways.flatMap((way) => way.writes)].flatMap(({ key, at, part }): Giving[] =>
      at === undefined ? [] : [{ key, sheet, message: writes(key), at: ['nodes', id, ...at], part }],
    ),
    ...(node.outputs ?? []).map(({ key }, i): Giving => ({ key, sheet, message: writes(key), at: ['nodes', id, 'outputs', i, 'key'] })),
    ...(invokes?.returnMap ?? []).map(({ parentKey: key }, i): Giving => {
      const message = `node ${quote(id)} takes what is returned as ${quote(key)}, which the board does not declare`
      return { key, sheet, message, at: ['nodes', id, 'invokes', 'returnMap', i, 'parentKey'] }
    }),
    ...(invokes?.inputMap ?? []).flatMap(({ to: key }, i): Giving[] => {
      if (child === undefined) return []
      const message = `node ${quote(id)} hands down ${quote(key)}, which the board of ${quote(child.workflow.id)} does not declare`
      return [{ key, sheet: child, message, at: ['nodes', id, 'invokes', 'inputMap', i, 'to'] }]
    }),
  ]
}

/**
 * The keys that a workflow reads or declares to need, and those that what it calls reads through to it; undefined where it
 * leads to more workflows than are looked at.
 */
function keysRead(prover: Prover, sheet: Sheet): ReadonlySet<string> | undefined {
  const keys = new Set<string>()
  const all = new Set([sheet])
  // A set visits what is added while it is walked.
  for (const one of all) {
    if (all.size > MOST_WORKFLOWS) return undefined
    for (const { key } of mentionsOf(one)) keys.add(key)
    for (const { node, invokes } of one.stops) {
      for (const { key } of node.inputs ?? []) keys.add(key)
      const child = invokes === undefined ? undefined : prover.sheetOf(invokes.workflowId)
      if (child !== undefined) all.add(child)
    }
  }
  return keys
}
