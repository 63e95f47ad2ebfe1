import { textOf } from '../dot/graph.ts'
import type { JoinView } from './joins.ts'
import { type KeyedNode, type Read, readsOf, type Write, writesOf } from './node-keys.ts'
import { factsOf } from './operations.ts'
import { type Input, SAFETIES } from './ports.ts'
import { isolationOf } from './regions.ts'
import { type Check, checkOf } from './taint-checks.ts'
import { rewritten, type TaintLabel, worse } from './taint-label.ts'
import type { TaintFlow, TypedEdge, TypedNode } from './typed.ts'

/** How often a label may be carried over an edge; a graph that needs more is told what was found until then. */
const WORK = 1_000_000

interface View extends JoinView {
  readonly nodes: ReadonlyMap<string, TypedNode>
  readonly joins: ReadonlyMap<string, string>
}

/**
 * Where values of models and of the outside come to inputs that decide what runs, or that must be safe, without a check
 * in between (seed pipeline 9.1, pass 5; reference pipeline 5.3, 11.3). It follows each value along edges and jumps until
 * it is written anew, through the nodes that work on it and out of branches with their results. What an author
 * writes counts as the author's; what runs do not show before, such as text that an action fetches, as nobody's.
 */
export function taintOf(view: View): TaintFlow[] {
  const nodes = [...view.nodes.values()]
  if (!nodes.some(({ operation }) => factsOf(operation).inputs.some(isDelicate))) return []
  const reads = nodes.map((node) => readsOf(keyed(node)))
  // Most pipelines have no such input: what leads to it is put together only for one.
  return reads.some((all) => all.some(isDelicate)) ? new Flow(view, reads).find() : []
}

function keyed({ id, operation, node: { attributes } }: TypedNode): KeyedNode {
  return { id, operation, attributes }
}

/** Whether a value of the context that comes in here must be looked at: it decides what runs, or must be safe. */
function isDelicate({ reads, role, needs }: Pick<Input, 'role' | 'needs'> & { readonly reads?: Input['reads'] }): boolean {
  return reads !== 'text' && (role === 'control' || needs !== undefined)
}

interface Station {
  readonly node: TypedNode
  readonly reads: readonly Read[]
  readonly writes: readonly Write[]
  readonly check: Check | undefined
  readonly ways: readonly Way[]
  /** The labels of the values that come to it, by key. */
  readonly labels: Map<string, TaintLabel>
}

interface Way {
  readonly to: string
  /** Absent for a jump after a failure. */
  readonly edge: TypedEdge | undefined
}

class Flow {
  readonly #stations = new Map<string, Station>()
  readonly #isolation: ReadonlyMap<string, ReadonlySet<string>>
  /** Keys whose values can come to a delicate input: the others are not followed. */
  readonly #followed: ReadonlySet<string>
  /** Nodes of which an input has become worse. */
  readonly #due = new Set<Station>()
  #work = WORK

  /** `reads`: what each node reads, in the order of the nodes. */
  constructor(view: View, reads: readonly (readonly Read[])[]) {
    const nodes = [...view.nodes.values()]
    for (const [i, node] of nodes.entries()) this.#stations.set(node.id, stationOf(node, reads[i] ?? [], view))
    this.#followed = keysThatMatter([...this.#stations.values()])
    this.#isolation = isolationOf(view)
  }

  find(): TaintFlow[] {
    for (const station of this.#stations.values()) this.#perform(station)
    for (const station of this.#due) {
      this.#due.delete(station)
      this.#perform(station)
    }
    return [...this.#stations.values()].flatMap(flowsInto)
  }

  /** Writes what a node makes of what has come to it. */
  #perform(station: Station): void {
    const { node, reads, writes } = station
    const inputs = reads.flatMap(({ key }) => labelOf(station, key) ?? [])
    const made: TaintLabel[] = []
    for (const { key, makes } of writes) {
      const label = labelMade(makes, node, inputs)
      if (label === undefined) continue
      made.push(label)
      this.#carry(station, key, label)
    }
    const results = made.reduce<TaintLabel | undefined>(worse, undefined)
    if (results !== undefined && this.#isolation.has(node.id)) this.#carry(station, RESULTS, results)
  }

  /** Carries a value from the node that wrote it to all that it can come to before it is written anew. */
  #carry(from: Station, key: string, label: TaintLabel): void {
    if (!this.#followed.has(key)) return
    const queue: [Station, TaintLabel][] = [[from, label]]
    for (let next = queue.pop(); next !== undefined && this.#work > 0; next = queue.pop()) {
      const [station, carried] = next
      for (const { to, edge } of station.ways) {
        this.#work--
        const passed = station === from || station.check === undefined ? carried : station.check(carried, key, edge)
        const reached = this.#stations.get(to)
        if (passed === undefined || reached === undefined || this.#staysBehind(station, to, key)) continue
        const before = reached.labels.get(key)
        const after = worse(before, passed)
        if (after === before) continue
        reached.labels.set(key, after)
        if (reached.reads.some((read) => concerns(read.key, key))) this.#due.add(reached)
        if (!overwrites(reached, key)) queue.push([reached, after])
      }
    }
  }

  #staysBehind({ node }: Station, to: string, key: string): boolean {
    return !key.startsWith('parallel.') && this.#isolation.get(node.id)?.has(to) === true
  }
}

/** The results of branches, in which the parent finds what they wrote. */
const RESULTS = 'parallel.results'

function stationOf(node: TypedNode, reads: readonly Read[], { nodes, outgoing }: View): Station {
  const { id } = node
  const { attributes } = node.node
  const jumps = ['retry_target', 'fallback_retry_target'].flatMap((key) => textOf(attributes, key)?.trim() ?? [])
  return {
    node,
    reads,
    writes: writesOf(keyed(node)),
    check: checkOf(node),
    ways: [
      ...(outgoing.get(id) ?? []).map((edge): Way => ({ to: edge.edge.to, edge })),
      ...jumps.filter((to) => nodes.has(to)).map((to): Way => ({ to, edge: undefined })),
    ],
    labels: new Map(),
  }
}

/** The keys of delicate inputs and, backwards, of what the nodes read that write those. */
function keysThatMatter(stations: readonly Station[]): ReadonlySet<string> {
  const writers = new Map<string, Station[]>()
  for (const station of stations) {
    for (const { key, makes } of station.writes) {
      const others = writers.get(key)
      if (makes === 'engine') continue
      if (others === undefined) writers.set(key, [station])
      else others.push(station)
    }
  }
  const matter = new Set(stations.flatMap(({ reads }) => reads.filter(isDelicate).flatMap(({ key }) => partsOf(key))))
  const done = new Set<Station>()
  for (const key of matter) {
    for (const station of key === RESULTS ? stations : (writers.get(key) ?? [])) {
      if (done.has(station)) continue
      done.add(station)
      for (const read of station.reads) for (const part of partsOf(read.key)) matter.add(part)
    }
  }
  return matter
}

/** What these write has been voted on or validated: derived, and confirmed (reference pipeline 5.3, reduction). */
const CONFIRMING: ReadonlySet<string> = new Set(['consensus.decide', 'pipeline.validate'])

function labelMade(makes: Write['makes'], node: TypedNode, inputs: readonly TaintLabel[]): TaintLabel | undefined {
  if (makes === 'engine') return undefined
  if (makes === 'model') return rewritten(node.id, inputs)
  if (makes === 'outside') return { level: 2, safe: 0, isConfirmed: false, from: node.id }
  const all = inputs.reduce<TaintLabel | undefined>(worse, undefined)
  return all !== undefined && CONFIRMING.has(node.operation) ? { ...all, level: 1, isConfirmed: true, checkedBy: node.id } : all
}

/** The worst of the labels of a key and of the values that it is a part of. */
function labelOf({ labels }: Station, key: string): TaintLabel | undefined {
  if (labels.size === 0) return undefined
  return partsOf(key).reduce<TaintLabel | undefined>((all, part) => {
    const label = labels.get(part)
    return label === undefined ? all : worse(all, label)
  }, undefined)
}

/** How many dots of a key count. */
const DEEPEST_KEY = 32

/** A key, and the written keys in which it can be found: `a.b.c`, `a.b`, `a.b.`, `a`, `a.`. */
function partsOf(key: string): string[] {
  const parts = [key]
  for (let dot = key.lastIndexOf('.'), i = 0; dot > 0 && i < DEEPEST_KEY; dot = key.lastIndexOf('.', dot - 1), i++) {
    parts.push(key.slice(0, dot), key.slice(0, dot + 1))
  }
  return parts
}

function concerns(read: string, written: string): boolean {
  if (!read.startsWith(written)) return false
  return read.length === written.length || written.endsWith('.') || read[written.length] === '.'
}

function overwrites({ writes }: Station, key: string): boolean {
  return !key.endsWith('.') && writes.some((write) => write.key === key)
}

function flowsInto(station: Station): TaintFlow[] {
  if (station.labels.size === 0) return []
  const told = new Set<string>()
  return station.reads.flatMap(({ key, attribute, role, needs }) => {
    const label = isDelicate({ role, needs }) ? labelOf(station, key) : undefined
    const rule = label === undefined ? undefined : ruleBroken(label, needs)
    if (label === undefined || rule === undefined || told.has(`${attribute} ${key}`)) return []
    told.add(`${attribute} ${key}`)
    const { from, level, wiped } = label
    const flow = { rule, node: station.node.id, attribute, key, role, needs: needs === undefined ? [] : [needs], from }
    return [{ ...flow, level: level === 1 ? 'derived' : 'untrusted', ...(wiped === undefined ? {} : { wiped }) }]
  })
}

function ruleBroken(label: TaintLabel, needs: Read['needs']): TaintFlow['rule'] | undefined {
  if (needs === undefined) return label.isConfirmed ? undefined : 'confidence_gap'
  if ((label.safe & (1 << SAFETIES.indexOf(needs))) !== 0) return undefined
  return label.wiped === undefined ? 'missing_sanitization' : 'sanitization_wiped'
}
