import { quote } from '../../../text/index.ts'
import { integerOf, isOn, textOf, type Attributes } from '../dot/graph.ts'
import type { TypedEdge, TypedNode } from '../model/typed.ts'
import type { LintFinding, LintRule } from './finding.ts'
import { isChosen } from './routes.ts'
import type { LintSubject } from './subject.ts'
import { outputOf } from '../contract/skip.ts'
import { plainKey, writesOf } from '../model/node-keys.ts'
import { WrittenNode } from '../model/written-node.ts'

/** Graph attributes that end a loop (reference pipeline 2.1, 3.11). */
const LIMITS = ['max_node_visits', 'max_steps', 'max_wall_time', 'max_total_tokens', 'max_cost']

/** Finds loops that nothing in the pipeline can end. The limits of the host do not count. */
export const unboundedLoop: LintRule = {
  name: 'unbounded_loop',
  code: 'R1145',
  *apply(subject) {
    if (LIMITS.some((key) => (textOf(subject.graph.attributes, key) ?? '') !== '')) return
    for (const members of subject.cycles) {
      const inside = new Set(members)
      if (members.some((id) => leaves(subject, id, inside) || counts(subject.graph.nodes.get(id)?.attributes))) continue
      yield endless(subject, members, inside)
    }
  },
}

/** True if a run can leave the loop at this node. */
function leaves(subject: LintSubject, id: string, inside: ReadonlySet<string>): boolean {
  const node = subject.nodes.get(id)
  const edges = subject.outgoing.get(id) ?? []
  const out = edges.filter(({ edge }) => !inside.has(edge.to))
  if (node === undefined || node.custom !== undefined || node.canonical === 'adapt') return true
  if (isChosen(node)) return out.length > 0
  const { dead } = subject.routes.get(id) ?? {}
  if (out.some((edge) => dead === undefined || !dead.has(edge))) return true
  // If all edges have conditions and none is true, the run ends.
  return edges.every(({ condition }) => condition !== undefined) && subject.routes.get(id)?.covered !== true
}

function counts(attributes: Attributes | undefined): boolean {
  if (attributes === undefined) return false
  return isOn(attributes, 'goal_gate') || (integerOf(attributes, 'max_retries') ?? 0) > 0 || (textOf(attributes, 'max_visits') ?? '') !== ''
}

function endless({ outgoing }: LintSubject, members: readonly string[], inside: ReadonlySet<string>): LintFinding {
  const shown = members.slice(0, 6).map(quote).join(', ')
  const more = members.length > 6 ? ` and ${members.length - 6} more` : ''
  return {
    message: members.length === 1 ? `${shown} leads to itself without end` : `nothing ends the loop through ${shown}${more}`,
    edge: closing(outgoing, members, inside),
    node: members[0],
    note: 'closes the loop',
  }
}

/** Returns the edge that closes the loop: the last edge, in node order, that leads to its first node. */
function closing(outgoing: LintSubject['outgoing'], members: readonly string[], inside: ReadonlySet<string>): TypedEdge | undefined {
  const [first] = members
  const back = members.flatMap((id) => (outgoing.get(id) ?? []).filter(({ edge }) => edge.to === first))
  return back.at(-1) ?? outgoing.get(first ?? '')?.find(({ edge }) => inside.has(edge.to))
}

/** Node types that may write any key: through a status file, the result of another program, or code of the host. */
const WRITES_ANY: ReadonlySet<string> = new Set(['exec', 'compose', 'adapt', 'map', 'parallel'])
const SIZES: ReadonlySet<string | undefined> = new Set(['<', '<=', '>', '>='])

/**
 * Finds loops that end by a count that is computed from a key that nothing writes: the count is the same in each round, so the
 * loop never ends by it. An error: a run would only stop at its limits.
 */
export const counterMissing: LintRule = {
  name: 'counter_missing',
  code: 'R1157',
  *apply(subject) {
    const nodes = [...subject.nodes.values()]
    if (subject.cycles.length === 0 || nodes.some(({ custom, canonical }) => custom !== undefined || WRITES_ANY.has(canonical))) return
    const written = new Set(
      nodes.flatMap(({ id, facts, node: { attributes } }) => writesOf({ id, facts, attributes }).map(({ key }) => key)),
    )
    for (const members of subject.cycles) {
      const ordered = new Set(members.flatMap((id) => orderedKeys(subject, id)))
      for (const node of members.flatMap((id) => subject.nodes.get(id) ?? [])) {
        const source = sourceOfCount(node)
        if (source === undefined || !ordered.has(plainKey(outputOf(node))) || isWritten(written, source)) continue
        const output = plainKey(outputOf(node))
        yield {
          message: `${quote(node.id)} counts ${output} from ${source}; no node writes this key, so the count is the same in each round of the loop`,
          node: node.id,
          attribute: 'source_key',
          fix: `write source_key=${output}`,
        }
      }
    }
  },
}

/** The key that a node increments. */
function sourceOfCount({ facts, node: { attributes } }: TypedNode): string | undefined {
  const source = facts.counts?.(new WrittenNode(attributes))
  return source === undefined ? undefined : plainKey(source)
}

/** Returns the keys that a node's edges compare by size. */
function orderedKeys({ outgoing }: LintSubject, id: string): readonly string[] {
  const clauses = (outgoing.get(id) ?? []).flatMap(({ condition }) => condition?.clauses ?? [])
  return clauses.flatMap(({ key, operator }) => (SIZES.has(operator) ? [plainKey(key)] : []))
}

function isWritten(written: ReadonlySet<string>, key: string): boolean {
  const parts = key.split('.')
  return parts.some((_, i) => written.has(parts.slice(0, i + 1).join('.')) || written.has(`${parts.slice(0, i + 1).join('.')}.`))
}
