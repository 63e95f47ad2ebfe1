import { quote, suggest } from '../../../text/index.ts'
import { programRef } from '../compile.ts'
import { unmetInputs, outputKeys, ownNode, returnedKeys } from '../key-flow.ts'
import type { Workflow } from '../types.ts'
import { contractMismatches } from './contracts.ts'
import { fanoutFindings } from './fanouts.ts'
import type { Finding, Undecidable } from './finding.ts'
import { unknownKeys } from './keys.ts'
import { unknownParts } from './parts.ts'
import { Prover, type ProverOptions } from './prover.ts'
import { Reads } from './reads.ts'
import { endlessCalls } from './recursion.ts'
import { strayReturns } from './returns.ts'
import type { Sheet } from './sheet.ts'
import { brokenExpressions } from './typed.ts'
import { undeclaredKeys } from './undeclared.ts'
import { refusedValues } from './values.ts'
import { writtenBefore } from './written.ts'

/** What can be proved of a workflow before a run. */
export interface Proof {
  readonly findings: readonly Finding[]
  readonly undecided: readonly Undecidable[]
}

/**
 * Everything that is wrong with how the parts of a workflow fit together, without a run (seed workflow 1.6, 6.1, 6.3).
 * The workflow must be valid by structure. The reference's warnings come first, in its order (reference workflow 10);
 * then those of edges, reads, calls and keys, each in the order of nodes.
 */
export function prove(workflow: Workflow, options: ProverOptions = {}): Proof {
  const prover = new Prover(options)
  const sheet = prover.sheet(workflow)
  const fanouts = fanoutFindings(prover, sheet)
  const told = new Set(fanouts.findings.map(({ path }) => JSON.stringify(path)))
  const findings = [
    ...missingInputs(prover, sheet),
    ...strayReturns(prover, sheet),
    ...fanouts.findings,
    ...endlessCalls(prover, sheet),
    ...new Reads(prover).findings(sheet),
    ...unknownKeys(sheet),
    ...contractMismatches(prover, sheet),
    ...undeclaredKeys(prover, sheet),
    ...unknownParts(sheet),
    ...refusedValues(sheet, told),
    ...brokenExpressions(sheet, told),
  ]
  return { findings, undecided: fanouts.undecided }
}

/**
 * Only what refuses a workflow: calls that never return. Nothing is laid out where nothing can be called in a circle, so
 * that starting a run costs no proof.
 */
export function proveRefusals(workflow: Workflow, options: ProverOptions = {}): readonly Finding[] {
  const own = programRef(workflow.id)
  const calls = Object.values(workflow.nodes).flatMap(({ invokes }) => invokes?.workflowId ?? [])
  if (!calls.some((id) => options.lookup !== undefined || programRef(id) === own)) return []
  const prover = new Prover(options)
  return endlessCalls(prover, prover.sheet(workflow))
}

/** Required inputs that no earlier node provides and none declares as inherited, in topological order (reference workflow 10, D8). */
function missingInputs(prover: Prover, sheet: Sheet): Finding[] {
  const unmet = unmetInputs(sheet.workflow, sheet.graph).filter(({ input: { key } }) => !sheet.inherits(key))
  if (unmet.length === 0) return []
  // What specs are known to write is written, though no output says so; of nodes that nothing leads to nothing is known.
  const places = new Map(sheet.stops.flatMap(({ id, linked }, place) => (linked ? [[id, place]] : [])))
  const wants = unmet.map(({ nodeId, input: { key } }) => ({ place: places.get(nodeId) ?? 0, key }))
  const written = writtenBefore(prover, sheet, wants, false)
  const missing = unmet.filter(({ nodeId }, i) => !places.has(nodeId) || written[i] === 'never' || written[i] === 'unknown')
  return missing.map(({ nodeId, input: { key }, index }) => ({
    rule: 'MISSING_REQUIRED_INPUT',
    nodeId,
    key,
    message: `node ${quote(nodeId)} needs ${quote(key)}, which no earlier node writes`,
    path: ['nodes', nodeId, 'inputs', index, 'key'],
    fix: 'declare it as an output where it is written, or as "inherited": true',
    guess: () => suggest(key, earlierKeys(sheet, nodeId)),
  }))
}

function earlierKeys({ workflow, graph }: Sheet, nodeId: string): string[] {
  return [...graph.ancestors(nodeId)].flatMap((id) => [...outputKeys(ownNode(workflow, id)), ...returnedKeys(ownNode(workflow, id))])
}
