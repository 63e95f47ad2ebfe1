import type { Fault } from '../../../kernel/index.ts'
import { type NodeLocator, nodePath } from '../adapter/compose.ts'
import type { Adapter } from '../model/adapter.ts'
import type { ValidatedGraph } from '../model/graph.ts'
import { failingCalculations } from './calculations.ts'
import { proofFaults } from './faults.ts'
import { knownOf } from './known.ts'
import { neverFires, neverFiring } from './never-fires.ts'
import { firstEvents, stuckKeys } from './state-findings.ts'
import { twoWriters } from './two-writers.ts'
import { unboundedSeries } from './unbounded-series.ts'

/**
 * Returns what is proved to go wrong in a graph: calculations that fail (R1395), actions that never fire (R1396), two writers of one key in
 * one pass (R1397), state that is stuck and first events that are special (R1398), and series without a bound (R1399). They are warnings; a
 * calculation that fails in every pass is an error. What can be neither proved nor shown by an event is not reported.
 *
 * The context is taken to begin empty, and keys that actions write to come from them and not from events. The work is counted: a graph that
 * needs more than its share gets fewer findings. Without an adapter, nothing is known of events, and only what holds for all of them is found.
 */
export function proofFindings(graph: ValidatedGraph, adapter?: Adapter, locate: NodeLocator = nodePath): Fault[] {
  const known = knownOf(graph, adapter)
  const never = neverFiring(known)
  const lints = [
    ...failingCalculations(known),
    ...neverFires(known, never),
    ...twoWriters(known),
    ...stuckKeys(known, never),
    ...firstEvents(known, never),
    ...unboundedSeries(known, never),
  ]
  return lints.map(({ code, message, node, fix, severity }) =>
    proofFaults.finding(code, message, {
      ...locate(node),
      fix: fix ?? proofFaults.entries[code].fix,
      ...(severity === undefined ? {} : { severity }),
    }),
  )
}
