import { quote, suggest } from '../../../text/index.ts'
import { programRef } from '../model/compile.ts'
import { unmetInputs, outputKeys, nodeOf, returnedKeys } from '../model/key-flow.ts'
import type { Workflow } from '../types/index.ts'
import { contractMismatches } from './contracts.ts'
import { fanoutFindings } from './fanouts.ts'
import type { Finding, Undecidable } from './finding.ts'
import { unknownKeys, undeclaredKeys } from './misspelt-keys.ts'
import { unknownParts } from './unknown-parts.ts'
import { Prover, type ProverOptions } from './prover.ts'
import { ReadChecks } from './reads.ts'
import { endlessCalls } from './recursion.ts'
import { strayReturns } from './stray-returns.ts'
import type { Layout } from './layout.ts'
import { brokenExpressions } from './broken-expressions.ts'
import { refusedValues } from './refused-values.ts'
import { writtenBefore } from './written-before.ts'

/** The result of proofs about a workflow before a run. */
export interface Proof {
  readonly findings: readonly Finding[]
  readonly undecided: readonly Undecidable[]
}

/**
 * Returns the mistakes in the interplay of the parts of a workflow, without a run (seed workflow 1.6, 6.1, 6.3). The structure
 * of the workflow must be valid. The warnings of the reference come first, in its order (reference workflow 10), then those of
 * edges, reads, calls and keys, each in the order of nodes.
 */
export function prove(workflow: Workflow, options: ProverOptions = {}): Proof {
  const prover = new Prover(options)
  const layout = prover.layout(workflow)
  const fanouts = fanoutFindings(prover, layout)
  const reported = new Set(fanouts.findings.map(({ path }) => JSON.stringify(path)))
  const findings = [
    ...missingInputs(prover, layout),
    ...strayReturns(prover, layout),
    ...fanouts.findings,
    ...endlessCalls(prover, layout),
    ...new ReadChecks(prover).findings(layout),
    ...unknownKeys(layout),
    ...contractMismatches(prover, layout),
    ...undeclaredKeys(prover, layout),
    ...unknownParts(layout),
    ...refusedValues(layout, reported),
    ...brokenExpressions(layout, reported),
  ]
  return { findings, undecided: fanouts.undecided }
}

/**
 * Returns only the findings that refuse a workflow: calls that never return. A workflow that cannot call in a cycle is not laid
 * out, so that starting a run costs no proof.
 */
export function proveRefusals(workflow: Workflow, options: ProverOptions = {}): readonly Finding[] {
  const ownReference = programRef(workflow.id)
  const calls = Object.values(workflow.nodes).flatMap(({ invokes }) => invokes?.workflowId ?? [])
  if (!calls.some((id) => options.lookup !== undefined || programRef(id) === ownReference)) return []
  const prover = new Prover(options)
  return endlessCalls(prover, prover.layout(workflow))
}

/**
 * Returns required inputs that no earlier node provides and no node declares as inherited, in topological order (reference
 * workflow 10, D8).
 */
function missingInputs(prover: Prover, layout: Layout): Finding[] {
  const unmet = unmetInputs(layout.workflow, layout.graph).filter(({ input: { key } }) => !layout.isInherited(key))
  if (unmet.length === 0) return []
  // Writes of known specs count even without a declared output. Unreachable nodes have no known writes before them.
  const places = new Map(layout.nodes.flatMap(({ id, isLinked }, place) => (isLinked ? [[id, place]] : [])))
  const wantedKeys = unmet.map(({ nodeId, input: { key } }) => ({ place: places.get(nodeId) ?? 0, key }))
  const written = writtenBefore(prover, layout, wantedKeys, false)
  const missing = unmet.filter(({ nodeId }, i) => !places.has(nodeId) || written[i] === 'never' || written[i] === 'unknown')
  return missing.map(({ nodeId, input: { key }, index }) => ({
    rule: 'MISSING_REQUIRED_INPUT',
    nodeId,
    key,
    message: `node ${quote(nodeId)} needs ${quote(key)}, which no earlier node writes`,
    path: ['nodes', nodeId, 'inputs', index, 'key'],
    fix: 'declare it as an output of the node that writes it, or as "inherited": true',
    guess: () => suggest(key, earlierKeys(layout, nodeId)),
  }))
}

function earlierKeys({ workflow, graph }: Layout, nodeId: string): string[] {
  return [...graph.ancestors(nodeId)].flatMap((id) => [...outputKeys(nodeOf(workflow, id)), ...returnedKeys(nodeOf(workflow, id))])
}
