import { type Path, quote } from '../../../text/index.ts'
import type { InvocationSpec } from '../types.ts'
import { apart, domainInWords } from './domain.ts'
import type { Finding } from './finding.ts'
import type { Prover } from './prover.ts'
import type { Sheet, Stop } from './sheet.ts'

/** Values that can never fit where a call hands them: two board schemas have no value in common (seed workflow 6.3). */
export function contractMismatches(prover: Prover, sheet: Sheet): Finding[] {
  return sheet.stops.flatMap((stop) => {
    const { invokes } = stop
    const child = invokes === undefined ? undefined : prover.sheetOf(invokes.workflowId)
    if (invokes === undefined || child === undefined) return []
    return pairsOf(invokes, sheet, child, stop.id).flatMap((pair) => judge(sheet, child, stop, pair))
  })
}

interface Pair {
  readonly own: string
  readonly theirs: string
  readonly at: Path
  /** What the call does with the two. */
  readonly message: string
}

function pairsOf({ returnMap, inputMap = [] }: InvocationSpec, sheet: Sheet, child: Sheet, id: string): Pair[] {
  const [node, name] = [quote(id), quote(child.workflow.id)]
  const handed = new Set(inputMap.map(({ to }) => to))
  const boards = [sheet.workflow.board ?? {}, child.workflow.board ?? {}] as const
  // What the child declares, never writes and is not handed it can only read from its callers.
  const shared = Object.keys(boards[0]).filter((key) => Object.hasOwn(boards[1], key) && !handed.has(key) && !child.written.has(key))
  return [
    ...returnMap.map(({ parentKey: own, childKey: theirs }, i): Pair => {
      const message = `what ${name} has as ${quote(theirs)} never fits ${quote(own)}, as which node ${node} takes it`
      return { own, theirs, at: ['returnMap', i], message }
    }),
    ...inputMap.map(({ from: own, to: theirs }, i): Pair => {
      const message = `${quote(own)} never fits ${quote(theirs)} of ${name}, as which node ${node} hands it down`
      return { own, theirs, at: ['inputMap', i], message }
    }),
    ...shared.map((key): Pair => {
      const message = `${quote(key)} never fits what ${name}, called by node ${node}, takes it to be`
      return { own: key, theirs: key, at: ['workflowId'], message }
    }),
  ]
}

function judge(sheet: Sheet, child: Sheet, { id }: Stop, { own, theirs, at, message }: Pair): Finding[] {
  const [here, there] = [sheet.domain(own), child.domain(theirs)]
  if (!apart(here, there)) return []
  return [
    {
      rule: 'CONTRACT_MISMATCH',
      nodeId: id,
      key: own,
      message,
      path: ['nodes', id, 'invokes', ...at],
      note: `${quote(own)} is ${domainInWords(here)} here, ${quote(theirs)} is ${domainInWords(there)} there`,
      fix: 'correct one of the two board schemas, or map another key',
    },
  ]
}
