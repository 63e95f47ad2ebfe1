import { didYouMean, quote } from '../../../text/index.ts'
import { type Attributes, type DotGraph, type DotNode, listOf, textOf } from '../dot/graph.ts'
import { FIDELITIES, isFidelity } from '../contract/fidelity.ts'
import type { LintFinding, LintRule } from './finding.ts'
import { guesser } from './guess.ts'
import { JUMPS, jumpsOf } from './reach.ts'
import { valuesThat } from './search.ts'
import type { LintSubject } from './subject.ts'

/** Ids that need no statement: the fallbacks for start and exit (reference pipeline 1.3). */
const ENDS = new Set(['start', 'exit', 'end'])

/** An id that only appears as an edge target is a misspelling; the file is refused (reference pipeline 1.3). */
export const edgeTargetExists: LintRule = {
  name: 'edge_target_exists',
  code: 'R1125',
  *apply(typed) {
    const { nodes } = typed.graph
    const lost = new Set(
      valuesThat(nodes, (node) => node.implicit !== undefined && !isNamedEnd(node) && isWithoutEdges(typed, node)).map(({ id }) => id),
    )
    if (lost.size === 0 && leadsToNodes(typed)) return
    const declared = (id: string): boolean => !lost.has(id) && nodes.has(id)
    const guess = guesser(declaredIds(typed.graph))
    for (const edge of typed.graph.edges) {
      for (const [end, id] of [['from', edge.from] as const, ['to', edge.to] as const]) {
        if (declared(id)) continue
        const meant = guess(id)
        yield {
          message: `an edge ${end === 'to' ? 'points to' : 'leaves'} ${quote(id)}; there is no such node`,
          edge: { edge },
          end,
          note: didYouMean(meant),
          fix: meant === undefined ? `declare ${quote(id)}, or correct the id` : `write ${quote(meant)}`,
          data: { node: id },
        }
      }
    }
  },
}

function isNamedEnd({ id }: DotNode): boolean {
  return ENDS.has(id.toLowerCase())
}

function isWithoutEdges({ outgoing }: Pick<LintSubject, 'outgoing'>, { id }: DotNode): boolean {
  return (outgoing.get(id) ?? []).length === 0
}

/** Returns true if both ends of every edge are nodes: only the lists of nodes hold edges. */
function leadsToNodes({ graph, outgoing, incoming }: LintSubject): boolean {
  return [outgoing, incoming].every((lists) => {
    let count = 0
    for (const edges of lists.values()) count += edges.length
    return count === graph.edges.length
  })
}

/** Yields the ids of the nodes that have a statement. */
function* declaredIds({ nodes }: DotGraph): Generator<string> {
  for (const { id, implicit } of nodes.values()) if (implicit === undefined) yield id
}

export const implicitNode: LintRule = {
  name: 'implicit_node',
  code: 'R1126',
  *apply({ graph, outgoing, starts, exits }) {
    const guess = guesser(declaredIds(graph))
    for (const node of valuesThat(graph.nodes, ({ implicit }) => implicit !== undefined)) {
      if (!isNamedEnd(node) && isWithoutEdges({ outgoing }, node)) continue
      const { id } = node
      const meant = guess(id)
      const statement = starts.includes(id) ? 'shape=Mdiamond' : exits.includes(id) ? 'shape=Msquare' : 'prompt="…"'
      yield { message: `${quote(id)} has no statement of its own`, node: id, note: didYouMean(meant), fix: `write ${id} [${statement}]` }
    }
  },
}

/** Checks nodes and the graph. A warning, because a pipeline with a missing target runs elsewhere (reference pipeline 2.6, 23). */
export const retryTargetExists: LintRule = {
  name: 'retry_target_exists',
  code: 'R1131',
  *apply({ graph, nodes, hasAny }) {
    const guess = guesser(nodes.keys())
    const check = function* (attributes: Attributes, whose: string, node?: string): Generator<LintFinding> {
      for (const attribute of JUMPS) {
        const target = textOf(attributes, attribute) ?? ''
        if (target === '' || nodes.has(target)) continue
        const meant = guess(target)
        yield {
          message: `${attribute} of ${whose} is ${quote(target)}; there is no such node`,
          node,
          attribute,
          note: didYouMean(meant),
          ...(meant === undefined ? {} : { fix: `write ${quote(meant)}` }),
        }
      }
    }
    yield* check(graph.attributes, 'the graph')
    if (!hasAny(JUMPS)) return
    for (const { id, node } of nodes.values()) {
      if (jumpsOf(node.attributes).length > 0) yield* check(node.attributes, quote(id), id)
    }
  },
}

/** Checks nodes, edges, and the default of the graph (reference pipeline 6.5). */
export const fidelityValid: LintRule = {
  name: 'fidelity_valid',
  code: 'R1130',
  *apply({ graph, nodes, outgoing, hasAny }) {
    const guess = guesser(FIDELITIES)
    const check = function* (attributes: Attributes, attribute: string, where: Pick<LintFinding, 'node' | 'edge'>): Generator<LintFinding> {
      const value = textOf(attributes, attribute) ?? ''
      if (value === '' || isFidelity(value)) return
      const meant = guess(value)
      const fix = meant === undefined ? {} : { fix: `write ${quote(meant)}` }
      yield { message: `${quote(value)} is not a fidelity`, ...where, attribute, note: didYouMean(meant), ...fix }
    }
    yield* check(graph.attributes, 'default_fidelity', {})
    if (!hasAny(['fidelity'])) return
    for (const { id, node } of nodes.values()) {
      if (node.attributes.has('fidelity')) yield* check(node.attributes, 'fidelity', { node: id })
    }
    for (const edges of outgoing.values()) {
      for (const edge of edges) if (edge.edge.attributes.has('fidelity')) yield* check(edge.edge.attributes, 'fidelity', { edge })
    }
  },
}

/** Applies only if the actions are known. `.` and `_` are equal in action names (reference pipeline 4.5). */
export const actionKnown: LintRule = {
  name: 'action_known',
  code: 'R1137',
  *apply({ nodes, options: { actions } }) {
    if (actions === undefined) return
    const plain = (name: string): string => name.replaceAll('.', '_')
    const all = [...actions]
    const known = new Set(all.map(plain))
    const guess = guesser(all)
    for (const { id, node, canonical, custom } of nodes.values()) {
      if (canonical !== 'exec' || custom !== undefined || textOf(node.attributes, 'target') !== 'action') continue
      const action = textOf(node.attributes, 'action') ?? ''
      if (action === '') continue
      if (known.has(plain(action))) continue
      const meant = guess(action)
      const fix = meant === undefined ? {} : { fix: `write ${quote(meant)}` }
      yield {
        message: `${quote(id)} names the action ${quote(action)}; there is no such action`,
        node: id,
        attribute: 'action',
        note: didYouMean(meant),
        ...fix,
      }
    }
  },
}

/** Applies only if the middleware is known. An error: a misspelling would leave a node without its protection (reference pipeline 5.1). */
export const middlewareKnown: LintRule = {
  name: 'middleware_known',
  code: 'R1156',
  *apply({ graph, nodes, hasAny, options: { middleware } }) {
    if (middleware === undefined) return
    const known = new Set(middleware)
    const guess = guesser(known)
    const check = function* (attributes: Attributes, whose: string, node?: string): Generator<LintFinding> {
      for (const name of listOf(attributes, 'middleware')) {
        if (known.has(name)) continue
        const meant = guess(name)
        yield {
          message: `${whose} requests the middleware ${quote(name)}; there is no such middleware`,
          node,
          attribute: 'middleware',
          note: didYouMean(meant),
          ...(meant === undefined ? {} : { fix: `write ${quote(meant)}` }),
        }
      }
    }
    yield* check(graph.attributes, 'the graph')
    if (!hasAny(['middleware'])) return
    for (const { id, node } of nodes.values()) {
      if (node.attributes.has('middleware')) yield* check(node.attributes, quote(id), id)
    }
  },
}

/** Applies only if files can be searched. */
export const graphFileExists: LintRule = {
  name: 'graph_file_exists',
  code: 'R1138',
  *apply({ graph, nodes, hasAny, options: { exists, knows } }) {
    for (const { id, canonical, node } of knows === undefined ? [] : nodes.values()) {
      if (canonical !== 'compose') continue
      const attribute = ['program', 'graph_name'].find((name) => (textOf(node.attributes, name) ?? '') !== '')
      const called = attribute === undefined ? '' : (textOf(node.attributes, attribute) ?? '')
      if (called !== '' && !called.includes('$') && knows?.(called.includes(':') ? called : `pipeline:${called}`) === false)
        yield { message: `${quote(id)} calls ${quote(called)}; there is no such program`, node: id, attribute }
    }
    if (exists === undefined) return
    const missing = (attributes: Attributes, attribute: string): string | undefined => {
      const path = textOf(attributes, attribute) ?? ''
      return path === '' || path.includes('$') || exists(path) ? undefined : path
    }
    const child = missing(graph.attributes, 'stack.child_dotfile')
    if (child !== undefined) yield { message: `there is no file ${quote(child)}`, attribute: 'stack.child_dotfile' }
    if (!hasAny(['graph_file'])) return
    for (const { id, node } of nodes.values()) {
      const file = missing(node.attributes, 'graph_file')
      if (file !== undefined)
        yield { message: `${quote(id)} names the file ${quote(file)}; there is no such file`, node: id, attribute: 'graph_file' }
    }
  },
}
