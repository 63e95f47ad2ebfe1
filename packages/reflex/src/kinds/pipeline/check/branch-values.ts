import { quote } from '../../../text/index.ts'
import { isBlock } from '../model/joins.ts'
import { plainKey, readsOf, writesOf } from '../model/node-keys.ts'
import { isolationOf } from '../model/isolation.ts'
import type { TypedNode } from '../model/typed.ts'
import { listOf } from '../dot/graph.ts'
import type { LintFinding, LintRule } from './finding.ts'
import { reachedFrom } from './reach.ts'
import type { LintSubject } from './subject.ts'

/** The budget of visited nodes for one pipeline. The rule ignores further joins when it is used up. */
const WORK = 1_000_000

/** A context value that a node reads. */
interface KeyRead {
  readonly key: string
  /** The place that names the key: an attribute of the node, or the condition of an edge. */
  readonly at: Pick<LintFinding, 'attribute' | 'edge'>
}

/**
 * Finds values that only nodes of branches write and that a node after the join reads: writes of a branch stay in the branch
 * (reference pipeline 3.9.3). Ignores keys that a node outside the branches may write, and keys that no node writes.
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

/** The nodes after each join, computed once per join. */
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

/** Returns the join that separates a writer from a reader: the reader is after the join and not in the same block. */
function joinBetween(
  writer: string,
  reader: string,
  isolation: ReadonlyMap<string, ReadonlySet<string>>,
  behind: NodesAfterJoin,
): string | undefined {
  const own = isolation.get(reader)
  return [...(isolation.get(writer) ?? [])].find((join) => own?.has(join) !== true && behind.has(join, reader))
}

/** Returns the nodes of branches that write each key, or `anywhere` if a node outside all branches writes it. */
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

/** The largest number of parts of a key that count. */
const DEEPEST_KEY = 32

/** Returns a key and the prefixes under which it may be written. A prefix that ends in a dot matches every key that begins with it. */
function keyPrefixes(key: string): readonly string[] {
  const parts = key.split('.').slice(0, DEEPEST_KEY)
  return [key, ...parts.slice(0, -1).flatMap((_, i) => [parts.slice(0, i + 1).join('.'), `${parts.slice(0, i + 1).join('.')}.`])]
}
