import { textOf } from '../dot/graph.ts'
import type { JoinView } from './joins.ts'
import { type KeyedNode, type KeyRead, readsOf, type KeyWrite, writesOf } from './node-keys.ts'
import { inputsOf, type OperationFacts } from './operation-facts.ts'
import { type Input, SAFETIES } from './operation-ports.ts'
import { isolationOf } from './isolation.ts'
import { type TaintCheck, checkOf } from './taint-checks.ts'
import { rewrittenLabel, type TaintLabel, combineTaint } from './taint-label.ts'
import type { TaintFlow, TypedEdge, TypedNode } from './typed.ts'

/** The budget of label moves over edges. For a larger graph, the findings are incomplete. */
const MOST_STEPS = 1_000_000

interface TaintView extends JoinView {
  readonly nodes: ReadonlyMap<string, TypedNode>
  readonly joins: ReadonlyMap<string, string>
  readonly attributeNames: ReadonlySet<string>
}

/**
 * Finds values from models and from outside that reach an input that decides what runs, or that must be safe, without a check
 * in between (seed pipeline 9.1, pass 5; reference pipeline 5.3, 11.3). Follows each value along edges and jumps until it is
 * overwritten, through the nodes that process it and out of branches with their results. Text written by the author is trusted;
 * text that is only known at run time, such as text that an action fetches, is not.
 */
export function taintOf(view: TaintView): TaintFlow[] {
  if (!hasCheckedInput(view)) return []
  const reads = Array.from(view.nodes.values(), (node) => readsOf(keyedNodeOf(node)))
  // Most pipelines have no such input, so the flow is built only if there is one.
  return reads.some((all) => all.some(needsCheck)) ? new Flow(view, reads).find() : []
}

/** True if a node may have an input that must be checked: its operation always reads it, or some node has its attribute. */
function hasCheckedInput({ nodes, attributeNames }: TaintView): boolean {
  const known = new Set<OperationFacts>()
  for (const { facts, node } of nodes.values()) {
    if (known.has(facts)) continue
    if (typeof facts.reads !== 'function') known.add(facts)
    const inputs = inputsOf(facts, node.attributes).filter(needsCheck)
    if (inputs.some(({ attribute, usual }) => usual !== undefined || attributeNames.has(attribute))) return true
  }
  return false
}

function keyedNodeOf({ id, facts, node: { attributes } }: TypedNode): KeyedNode {
  return { id, facts, attributes }
}

/** True if a context value at this input must be checked: it decides what runs, or must be safe. */
function needsCheck({ reads, role, needs }: Pick<Input, 'role' | 'needs'> & { readonly reads?: Input['reads'] }): boolean {
  return reads !== 'text' && (role === 'control' || needs !== undefined)
}

interface FlowNode {
  readonly node: TypedNode
  readonly reads: readonly KeyRead[]
  readonly writes: readonly KeyWrite[]
  readonly check: TaintCheck | undefined
  readonly edges: readonly FlowEdge[]
  /** The labels of the values that reach it, by key. */
  readonly labels: Map<string, TaintLabel>
}

interface FlowEdge {
  readonly to: string
  /** Absent for a jump after a failure. */
  readonly edge: TypedEdge | undefined
}

class Flow {
  readonly #nodes = new Map<string, FlowNode>()
  readonly #isolation: ReadonlyMap<string, ReadonlySet<string>>
  /** The keys whose values can reach a checked input. Other keys are not followed. */
  readonly #followed: ReadonlySet<string>
  /** The nodes with an input that has become worse. */
  readonly #due = new Set<FlowNode>()
  #work = MOST_STEPS

  /** `reads`: the reads of each node, in node order. */
  constructor(view: TaintView, reads: readonly (readonly KeyRead[])[]) {
    const nodes = [...view.nodes.values()]
    for (const [i, node] of nodes.entries()) this.#nodes.set(node.id, flowNodeOf(node, reads[i] ?? [], view))
    this.#followed = relevantKeys([...this.#nodes.values()])
    this.#isolation = isolationOf(view)
  }

  find(): TaintFlow[] {
    for (const flowNode of this.#nodes.values()) this.#evaluate(flowNode)
    for (const flowNode of this.#due) {
      this.#due.delete(flowNode)
      this.#evaluate(flowNode)
    }
    return [...this.#nodes.values()].flatMap(flowsInto)
  }

  /** Propagates the outputs of a node. */
  #evaluate(flowNode: FlowNode): void {
    const { node, reads, writes } = flowNode
    const inputs = reads.flatMap(({ key }) => labelOf(flowNode, key) ?? [])
    const made: TaintLabel[] = []
    for (const { key, origin } of writes) {
      const label = labelMade(origin, node, inputs)
      if (label === undefined) continue
      made.push(label)
      this.#propagate(flowNode, key, label)
    }
    const results = made.reduce<TaintLabel | undefined>(combineTaint, undefined)
    if (results !== undefined && this.#isolation.has(node.id)) this.#propagate(flowNode, RESULTS, results)
  }

  /** Propagates a value from the node that wrote it to all nodes that it can reach before it is overwritten. */
  #propagate(from: FlowNode, key: string, label: TaintLabel): void {
    if (!this.#followed.has(key)) return
    const queue: [FlowNode, TaintLabel][] = [[from, label]]
    for (let next = queue.pop(); next !== undefined && this.#work > 0; next = queue.pop()) {
      const [flowNode, carried] = next
      for (const { to, edge } of flowNode.edges) {
        this.#work--
        const passed = flowNode === from || flowNode.check === undefined ? carried : flowNode.check(carried, key, edge)
        const reached = this.#nodes.get(to)
        if (passed === undefined || reached === undefined || this.#isIsolated(flowNode, to, key)) continue
        const before = reached.labels.get(key)
        const after = combineTaint(before, passed)
        if (after === before) continue
        reached.labels.set(key, after)
        if (reached.reads.some((read) => covers(read.key, key))) this.#due.add(reached)
        if (!overwrites(reached, key)) queue.push([reached, after])
      }
    }
  }

  #isIsolated({ node }: FlowNode, to: string, key: string): boolean {
    return !key.startsWith('parallel.') && this.#isolation.get(node.id)?.has(to) === true
  }
}

/** The results of branches, where the parent finds their writes. */
const RESULTS = 'parallel.results'

function flowNodeOf(node: TypedNode, reads: readonly KeyRead[], { nodes, outgoing }: TaintView): FlowNode {
  const { id } = node
  const { attributes } = node.node
  const jumps = ['retry_target', 'fallback_retry_target'].flatMap((key) => textOf(attributes, key)?.trim() ?? [])
  return {
    node,
    reads,
    writes: writesOf(keyedNodeOf(node)),
    check: checkOf(node),
    edges: [
      ...(outgoing.get(id) ?? []).map((edge): FlowEdge => ({ to: edge.edge.to, edge })),
      ...jumps.filter((to) => nodes.has(to)).map((to): FlowEdge => ({ to, edge: undefined })),
    ],
    labels: new Map(),
  }
}

/** Returns the keys of checked inputs and, backwards, of the inputs of the nodes that write them. */
function relevantKeys(flowNodes: readonly FlowNode[]): ReadonlySet<string> {
  const writers = new Map<string, FlowNode[]>()
  for (const flowNode of flowNodes) {
    for (const { key, origin } of flowNode.writes) {
      const others = writers.get(key)
      if (origin === 'engine') continue
      if (others === undefined) writers.set(key, [flowNode])
      else others.push(flowNode)
    }
  }
  const relevant = new Set(flowNodes.flatMap(({ reads }) => reads.filter(needsCheck).flatMap(({ key }) => prefixesOf(key))))
  const done = new Set<FlowNode>()
  for (const key of relevant) {
    for (const flowNode of key === RESULTS ? flowNodes : (writers.get(key) ?? [])) {
      if (done.has(flowNode)) continue
      done.add(flowNode)
      for (const read of flowNode.reads) for (const part of prefixesOf(read.key)) relevant.add(part)
    }
  }
  return relevant
}

/** Checks whose results are derived and confirmed, by votes or by validation (reference pipeline 5.3, reduction). */
const CONFIRMING: ReadonlySet<string | undefined> = new Set(['votes', 'pipeline'])

function labelMade(origin: KeyWrite['origin'], node: TypedNode, inputs: readonly TaintLabel[]): TaintLabel | undefined {
  if (origin === 'engine') return undefined
  if (origin === 'model') return rewrittenLabel(node.id, inputs)
  if (origin === 'outside') return { level: 2, safeBits: 0, isConfirmed: false, from: node.id }
  const all = inputs.reduce<TaintLabel | undefined>(combineTaint, undefined)
  return all !== undefined && CONFIRMING.has(node.facts.sanitizes) ? { ...all, level: 1, isConfirmed: true, checkedBy: node.id } : all
}

/** Returns the worst label of a key and of the values that contain it. */
function labelOf({ labels }: FlowNode, key: string): TaintLabel | undefined {
  if (labels.size === 0) return undefined
  return prefixesOf(key).reduce<TaintLabel | undefined>((all, part) => {
    const label = labels.get(part)
    return label === undefined ? all : combineTaint(all, label)
  }, undefined)
}

/** The largest number of parts of a key that count. */
const DEEPEST_KEY = 32

/** Returns a key and the written keys that may contain it: `a.b.c`, `a.b`, `a.b.`, `a`, `a.`. */
function prefixesOf(key: string): string[] {
  const parts = [key]
  for (let dot = key.lastIndexOf('.'), i = 0; dot > 0 && i < DEEPEST_KEY; dot = key.lastIndexOf('.', dot - 1), i++) {
    parts.push(key.slice(0, dot), key.slice(0, dot + 1))
  }
  return parts
}

function covers(read: string, written: string): boolean {
  if (!read.startsWith(written)) return false
  return read.length === written.length || written.endsWith('.') || read[written.length] === '.'
}

function overwrites({ writes }: FlowNode, key: string): boolean {
  return !key.endsWith('.') && writes.some((write) => write.key === key)
}

function flowsInto(flowNode: FlowNode): TaintFlow[] {
  if (flowNode.labels.size === 0) return []
  const reported = new Set<string>()
  return flowNode.reads.flatMap(({ key, attribute, role, needs }) => {
    const label = needsCheck({ role, needs }) ? labelOf(flowNode, key) : undefined
    const rule = label === undefined ? undefined : ruleBroken(label, needs)
    if (label === undefined || rule === undefined || reported.has(`${attribute} ${key}`)) return []
    reported.add(`${attribute} ${key}`)
    const { from, level, wiped } = label
    const flow = { rule, node: flowNode.node.id, attribute, key, role, needs: needs === undefined ? [] : [needs], from }
    return [{ ...flow, level: level === 1 ? 'derived' : 'untrusted', ...(wiped === undefined ? {} : { wiped }) }]
  })
}

function ruleBroken(label: TaintLabel, needs: KeyRead['needs']): TaintFlow['rule'] | undefined {
  if (needs === undefined) return label.isConfirmed ? undefined : 'confidence_gap'
  if ((label.safeBits & (1 << SAFETIES.indexOf(needs))) !== 0) return undefined
  return label.wiped === undefined ? 'missing_sanitization' : 'sanitization_wiped'
}
