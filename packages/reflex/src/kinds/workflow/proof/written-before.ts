import { addToGroup } from '../model/key-flow.ts'
import type { Prover } from './prover.ts'
import type { Layout, ProofNode } from './layout.ts'

/** A key that is needed at a node: at its decision, or when it is entered, before its call. */
export interface WantedKey {
  readonly place: number
  readonly key: string
  readonly entered?: boolean
}

/** The certainty that a key is written before: on every path, on some path, on none, or unknown. Guards are not considered. */
export type WriteCertainty = 'surely' | 'perhaps' | 'never' | 'unknown'

/**
 * Returns the certainty of each needed key, by paths only, regardless of guards. `alone`: the workflow starts by itself, so that
 * inherited keys are present. `unknown`: no known node writes the key, but an unknown one may.
 * Keys are propagated along the graph 32 at a time, one bit each, so that thousands of nodes with thousands of keys take
 * milliseconds.
 */
export function writtenBefore(prover: Prover, layout: Layout, wanted: readonly WantedKey[], alone: boolean): WriteCertainty[] {
  const byKey = new Map<string, number[]>()
  for (const [i, { key }] of wanted.entries()) addToGroup(byKey, key, i)
  const keys = [...byKey.keys()]
  const answers: WriteCertainty[] = wanted.map(() => 'never')
  const hasUnknownBefore = unknownWritersBefore(layout)
  const graph = writeGraphOf(prover, layout)
  for (let first = 0; first < keys.length; first += 32) {
    const group = keys.slice(first, first + 32)
    const flow = propagate(layout, graph, group, alone)
    for (const [bit, key] of group.entries()) {
      for (const i of byKey.get(key) ?? []) {
        const { place, entered } = wanted[i] ?? { place: 0 }
        const may = entered === true ? flow.possibleAtEntry : flow.possibleAtDecision
        if (((flow.certainAtEntry[place] ?? 0) >>> bit) & 1) answers[i] = 'surely'
        else if (((may[place] ?? 0) >>> bit) & 1) answers[i] = 'perhaps'
        else if (hasUnknownBefore[place] === true) answers[i] = 'unknown'
      }
    }
  }
  return answers
}

/** The written keys of each node, as bits: when it is entered, and at its decision. */
interface Flow {
  readonly certainAtEntry: Int32Array
  readonly possibleAtEntry: Int32Array
  readonly possibleAtDecision: Int32Array
}

/** The writers of each key, and the predecessors of each node. */
interface WriteGraph {
  readonly predecessors: readonly (readonly number[])[]
  readonly certain: ReadonlyMap<string, readonly number[]>
  readonly possible: ReadonlyMap<string, readonly number[]>
  readonly returned: ReadonlyMap<string, readonly number[]>
}

function writeGraphOf(prover: Prover, layout: Layout): WriteGraph {
  const [certain, possible, returned] = [new Map<string, number[]>(), new Map<string, number[]>(), new Map<string, number[]>()]
  for (const [place, proofNode] of layout.nodes.entries()) {
    for (const key of certainKeys(proofNode)) addToGroup(certain, key, place)
    for (const { key } of [...proofNode.flow.writes, ...proofNode.flow.cases.flatMap(({ writes }) => writes)])
      addToGroup(possible, key, place)
    const { invokes } = proofNode
    const child = invokes === undefined ? undefined : prover.layoutOf(invokes.workflowId)
    for (const { parentKey, childKey } of invokes?.returnMap ?? []) {
      const given = invokes?.inputMap?.some(({ to }) => to === childKey) === true
      if (child === undefined || given || prover.mayWrite(child, childKey)) addToGroup(returned, parentKey, place)
    }
  }
  const predecessors = layout.nodes.map(({ incoming }) =>
    incoming.flatMap(({ from }) => (layout.nodes[from]?.isLinked === true ? [from] : [])),
  )
  return { predecessors, certain, possible, returned }
}

function certainKeys({ flow }: ProofNode): Set<string> {
  const keys = new Set(flow.writes.flatMap(({ key, isCertain }) => (isCertain ? [key] : [])))
  const [first, ...others] = flow.cases.map(({ writes }) => new Set(writes.flatMap(({ key, isCertain: sure }) => (sure ? [key] : []))))
  for (const key of first ?? []) if (others.every((decisionCase) => decisionCase.has(key))) keys.add(key)
  return keys
}

function propagate(
  layout: Layout,
  { predecessors: before, certain: sure, possible: perhaps, returned }: WriteGraph,
  keys: readonly string[],
  alone: boolean,
): Flow {
  const count = layout.nodes.length
  const flow: Flow = {
    certainAtEntry: new Int32Array(count),
    possibleAtEntry: new Int32Array(count),
    possibleAtDecision: new Int32Array(count),
  }
  const bitsOf = (of: ReadonlyMap<string, readonly number[]>): Int32Array => {
    const bits = new Int32Array(count)
    for (const [bit, key] of keys.entries()) for (const place of of.get(key) ?? []) bits[place] = (bits[place] ?? 0) | (1 << bit)
    return bits
  }
  const [sureBits, perhapsBits, returnedBits] = [bitsOf(sure), bitsOf(perhaps), bitsOf(returned)]
  let given = 0
  if (alone) for (const [bit, key] of keys.entries()) if (!layout.initial(key).absent) given |= 1 << bit
  for (let place = 0; place < count; place++) {
    let [all, some] = place === layout.entry ? [given, given] : [-1, 0]
    for (const from of before[place] ?? []) {
      all &= (flow.certainAtEntry[from] ?? 0) | (sureBits[from] ?? 0)
      some |= (flow.possibleAtDecision[from] ?? 0) | (perhapsBits[from] ?? 0)
    }
    flow.certainAtEntry[place] = all
    flow.possibleAtEntry[place] = some
    flow.possibleAtDecision[place] = some | (returnedBits[place] ?? 0)
  }
  return flow
}

/** Returns for each node if a node with unknown writes comes before it. */
function unknownWritersBefore(layout: Layout): boolean[] {
  const before: boolean[] = []
  for (const { incoming } of layout.nodes) {
    before.push(incoming.some(({ from }) => before[from] === true || layout.nodes[from]?.flow.writesAnyKey === true))
  }
  return before
}
