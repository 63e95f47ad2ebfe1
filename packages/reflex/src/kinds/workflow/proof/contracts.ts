import { type Path, quote } from '../../../text/index.ts'
import type { InvocationSpec } from '../types/index.ts'
import { areDisjoint, describeDomain } from './domain.ts'
import type { Finding } from './finding.ts'
import type { Prover } from './prover.ts'
import type { Layout, ProofNode } from './layout.ts'

/** Returns the findings about calls whose mapped keys have no value in common in the two board schemas (seed workflow 6.3). */
export function contractMismatches(prover: Prover, layout: Layout): Finding[] {
  return layout.nodes.flatMap((proofNode) => {
    const { invokes } = proofNode
    const child = invokes === undefined ? undefined : prover.layoutOf(invokes.workflowId)
    if (invokes === undefined || child === undefined) return []
    return pairsOf(invokes, layout, child, proofNode.id).flatMap((pair) => mismatchesOf(layout, child, proofNode, pair))
  })
}

interface KeyPair {
  readonly callerKey: string
  readonly childKey: string
  readonly at: Path
  /** The message if the two keys have no value in common. */
  readonly message: string
}

function pairsOf({ returnMap, inputMap = [] }: InvocationSpec, layout: Layout, child: Layout, id: string): KeyPair[] {
  const [node, name] = [quote(id), quote(child.workflow.id)]
  const givenKeys = new Set(inputMap.map(({ to }) => to))
  const boards = [layout.workflow.board ?? {}, child.workflow.board ?? {}] as const
  // A key that the child declares but neither writes nor is passed can only be read from its callers.
  const shared = Object.keys(boards[0]).filter((key) => Object.hasOwn(boards[1], key) && !givenKeys.has(key) && !child.writtenKeys.has(key))
  return [
    ...returnMap.map(({ parentKey: callerKey, childKey }, i): KeyPair => {
      const message = `no value of ${quote(childKey)} of ${name} fits ${quote(callerKey)}, to which node ${node} returns it`
      return { callerKey, childKey, at: ['returnMap', i], message }
    }),
    ...inputMap.map(({ from: own, to: theirs }, i): KeyPair => {
      const message = `no value of ${quote(own)} fits ${quote(theirs)} of ${name}, to which node ${node} passes it`
      return { callerKey: own, childKey: theirs, at: ['inputMap', i], message }
    }),
    ...shared.map((key): KeyPair => {
      const message = `no value of ${quote(key)} fits the schema of ${quote(key)} in ${name}, which node ${node} calls`
      return { callerKey: key, childKey: key, at: ['workflowId'], message }
    }),
  ]
}

function mismatchesOf(
  layout: Layout,
  child: Layout,
  { id }: ProofNode,
  { callerKey: own, childKey: theirs, at, message }: KeyPair,
): Finding[] {
  const [callerDomain, childDomain] = [layout.domain(own), child.domain(theirs)]
  if (!areDisjoint(callerDomain, childDomain)) return []
  return [
    {
      rule: 'CONTRACT_MISMATCH',
      nodeId: id,
      key: own,
      message,
      path: ['nodes', id, 'invokes', ...at],
      note: `${quote(own)} is ${describeDomain(callerDomain)} here, ${quote(theirs)} is ${describeDomain(childDomain)} there`,
      fix: 'correct one of the two board schemas, or map another key',
    },
  ]
}
