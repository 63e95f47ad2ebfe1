import type { Fault } from '../kernel/fault.ts'
import { didYouMean, quote, suggest, unplaced } from '../text/index.ts'
import type { Locate, Path } from '../text/index.ts'
import { faults } from './faults.ts'
import { graphOf } from './graph.ts'
import type { WorkflowGraph } from './graph.ts'
import { outputKeys, ownNode, returnedKeys, unmetInputs } from './key-flow.ts'
import type { VerificationResult, VerificationWarning, Workflow } from './types.ts'

/** Finds the workflow that an id stands for, if it is known. */
export type Lookup = (workflowId: string) => Workflow | undefined

interface Misfit {
  readonly warning: VerificationWarning
  readonly path: Path
  /** The names that could have been meant. */
  readonly known: () => readonly string[]
  readonly fix: string
}

/**
 * Whether what the nodes declare to read and write fits together, without a run (seed workflow 1.6, 6.1).
 *
 * A required input must be an output, or a returned key, of a node from which it can be reached, unless it is
 * declared as inherited; what a node's own invocation returns counts, its own outputs do not. Guards and
 * `guaranteed` are not looked at. A return map must take declared outputs of the child's last nodes, where the
 * child is known and declares any. Warnings about inputs come first, in topological order, then those about
 * return maps, in the order of the nodes (reference workflow 10, D8).
 */
export function verifyWorkflow(workflow: Workflow, lookup: Lookup = () => undefined): VerificationResult {
  const warnings = misfits(workflow, lookup).map(({ warning }) => warning)
  return { workflowId: workflow.id, valid: warnings.length === 0, warnings }
}

const MOST_GUESSES = 50

/** The same as faults with places, for `reflex validate`: the warnings `R1054` and `R1055`. */
export function verificationFindings(workflow: Workflow, lookup: Lookup = () => undefined, locate: Locate = unplaced): Fault[] {
  return misfits(workflow, lookup).map(({ warning, path, known, fix }, i) => {
    const code = warning.code === 'MISSING_REQUIRED_INPUT' ? 'R1054' : 'R1055'
    const meant = i < MOST_GUESSES ? suggest(warning.key, known()) : undefined
    return faults.make(code, warning.message, {
      rule: warning.code,
      ...locate(path, { note: didYouMean(meant) }),
      fix: meant === undefined ? fix : `write ${quote(meant)}`,
    })
  })
}

function misfits(workflow: Workflow, lookup: Lookup): Misfit[] {
  const graph = graphOf(workflow)
  return [...missingInputs(workflow, graph), ...strayReturns(workflow, lookup)]
}

function missingInputs(workflow: Workflow, graph: WorkflowGraph): Misfit[] {
  return unmetInputs(workflow, graph).map(({ nodeId, input: { key }, index }) => {
    const message = `node ${quote(nodeId)} needs ${quote(key)}, which no earlier node writes`
    return {
      warning: { code: 'MISSING_REQUIRED_INPUT', workflowId: workflow.id, nodeId, key, message },
      path: ['nodes', nodeId, 'inputs', index, 'key'],
      known: () => earlierKeys(workflow, graph, nodeId),
      fix: 'declare it as an output where it is written, or as "inherited": true',
    }
  })
}

function strayReturns(workflow: Workflow, lookup: Lookup): Misfit[] {
  return Object.entries(workflow.nodes).flatMap(([nodeId, { invokes }]) => {
    const child = invokes === undefined ? undefined : lookup(invokes.workflowId)
    if (invokes === undefined || child === undefined) return []
    const outputs = [...new Set(graphOf(child).terminals.flatMap((id) => outputKeys(ownNode(child, id))))]
    if (outputs.length === 0) return []
    return invokes.returnMap.flatMap(({ childKey }, i): Misfit[] => {
      if (outputs.includes(childKey)) return []
      const message = `node ${quote(nodeId)} takes ${quote(childKey)} from ${quote(child.id)}, whose last nodes do not write it`
      const warning = { code: 'RETURNMAP_KEY_NOT_IN_CHILD_OUTPUTS', workflowId: workflow.id, nodeId, key: childKey, message } as const
      const path = ['nodes', nodeId, 'invokes', 'returnMap', i, 'childKey']
      return [{ warning, path, known: () => outputs, fix: 'name a declared output of the child, or declare this one there' }]
    })
  })
}

function earlierKeys(workflow: Workflow, graph: WorkflowGraph, nodeId: string): string[] {
  return [...graph.ancestors(nodeId)].flatMap((id) => [...outputKeys(ownNode(workflow, id)), ...returnedKeys(ownNode(workflow, id))])
}
