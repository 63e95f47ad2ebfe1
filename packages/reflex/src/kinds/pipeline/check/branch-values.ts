import { quote } from '../../../text/index.ts'
import { isBlock } from '../model/joins.ts'
import { plainKey, readsOf, writesOf } from '../model/node-keys.ts'
import { isolationOf } from '../model/isolation.ts'
import type { TypedNode } from '../model/typed.ts'
import { listOf } from '../dot/graph.ts'
import type { LintFinding, LintRule } from './finding.ts'
import { reachedFrom } from './reach.ts'
import type { LintSubject } from './subject.ts'

/** Nodes that are visited for one pipeline to find what lies behind its joins; joins after that are not looked at. */
const WORK = 1_000_000

/** A value that is read. */
interface KeyRead {
  readonly key: string
  /** Where it is named: an attribute of the node, or the condition of an edge. */
  readonly at: Pick<LintFinding, 'attribute' | 'edge'>
}

/**
 * Values that only nodes of branches write and that a node behind the join reads: what a branch writes stays in it
 * (reference pipeline 3.9.3). A key that anything else may write is not looked at, nor is one that nothing writes.
 */
export const branchValueLost: LintRule = {
  name: 'branch_value_lost',
  code: 'R1155',
  *apply(subject) {
    const isolation = isolationOf(subject)
    if (isolation.size === 0) return
    const nodes = [...subject.nodes.values()]
    if (nodes.some(({ id, custom }) => custom !== undefined && !isolation.has(id))) return
    const behind = new NodesAfterJoin(subject)
    const writers = writersOf(nodes, isolation)
    let left = WORK
    for (const reader of nodes) {
      const reported = new Set<string>()
      for (const { key, at } of readingsOf(subject, reader)) {
        const all = keyPrefixes(key).map((part) => writers.get(part) ?? [])
        const ids = all.includes('anywhere') ? [] : all.flat()
        left -= ids.length
        if (left < 0) return
        const [writer] = ids
        if (writer === undefined || reported.has(key)) continue
        const join = joinBetween(writer, reader.id, isolation, behind)
        if (join === undefined || !ids.every((id) => joinBetween(id, reader.id, isolation, behind) !== undefined)) continue
        reported.add(key)
        yield lostValueFinding(subject, { reader: reader.id, key, at, writer, join })
      }
    }
  },
}

function lostValueFinding(
  { nodes, joins }: LintSubject,
  { reader, key, at, writer, join }: { reader: string; key: string; at: KeyRead['at']; writer: string; join: string },
): LintFinding {
  const block = [...joins].find(([id, to]) => to === join && nodes.has(id))?.[0] ?? join
  return {
    message: `${quote(reader)} reads ${key}, which only ${quote(writer)} in a branch of ${quote(block)} writes: the value stays in the branch`,
    node: reader,
    ...at,
    fix: `write merge_context="true" at ${quote(block)}, or read parallel.results`,
  }
}

/** The nodes behind each join, looked up once. */
class NodesAfterJoin {
  readonly #subject: LintSubject
  readonly #known = new Map<string, ReadonlySet<string>>()
  #left = WORK

  constructor(subject: LintSubject) {
    this.#subject = subject
  }

  has(join: string, node: string): boolean {
    const known = this.#known.get(join)
    if (known !== undefined) return known.has(node)
    if (this.#left <= 0) return false
    const reached = reachedFrom(this.#subject, [join])
    this.#left -= reached.size
    this.#known.set(join, reached)
    return reached.has(node)
  }
}

/** The join that keeps what one node writes from another: behind it, and not in the same block. */
function joinBetween(
  writer: string,
  reader: string,
  isolation: ReadonlyMap<string, ReadonlySet<string>>,
  behind: NodesAfterJoin,
): string | undefined {
  const own = isolation.get(reader)
  return [...(isolation.get(writer) ?? [])].find((join) => own?.has(join) !== true && behind.has(join, reader))
}

/** The nodes of branches that write each key; of a key that a node outside all branches writes, only that. */
function writersOf(
  nodes: readonly TypedNode[],
  isolation: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, readonly string[] | 'anywhere'> {
  const writers = new Map<string, string[] | 'anywhere'>()
  for (const node of nodes) {
    for (const key of keysWritten(node)) {
      const known = writers.get(key) ?? []
      if (!isolation.has(node.id)) writers.set(key, 'anywhere')
      else if (known !== 'anywhere') {
        known.push(node.id)
        writers.set(key, known)
      }
    }
  }
  return writers
}

function keysWritten({ id, facts, node: { attributes } }: TypedNode): readonly string[] {
  return [
    ...writesOf({ id, facts, attributes }).map(({ key }) => key),
    ...listOf(attributes, 'result_mapping').map((pair) => plainKey(pair.slice(pair.indexOf(':') + 1).trim())),
    ...[...attributes.keys()].filter((name) => name.startsWith('context.')).map(plainKey),
  ]
}

function readingsOf({ outgoing }: LintSubject, { id, facts, canonical, node }: TypedNode): readonly KeyRead[] {
  const keyed = { id, facts, attributes: node.attributes }
  const own = readsOf(keyed).filter(({ attribute }) => attribute !== '')
  const conditions = (outgoing.get(id) ?? []).flatMap((edge) =>
    (edge.condition?.clauses ?? []).map(({ key }): KeyRead => ({ key: plainKey(key), at: { edge, attribute: 'condition' } })),
  )
  const isBranching = isBlock({ canonical, custom: undefined, node })
  return [...own.map(({ key, attribute }): KeyRead => ({ key, at: { attribute } })), ...(isBranching ? [] : conditions)]
}

/** How many dots of a key count. */
const DEEPEST_KEY = 32

/** A key, and the written keys in which it can be found; one that ends in a dot stands for all that begin so. */
function keyPrefixes(key: string): readonly string[] {
  const parts = key.split('.').slice(0, DEEPEST_KEY)
  return [key, ...parts.slice(0, -1).flatMap((_, i) => [parts.slice(0, i + 1).join('.'), `${parts.slice(0, i + 1).join('.')}.`])]
}
