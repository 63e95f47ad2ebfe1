import type { Fault } from '../../../kernel/index.ts'
import {
  shortJson,
  didYouMean,
  pathText,
  quote,
  quoteAll,
  suggest,
  suggester,
  type Locator,
  type Path,
  type Suggester,
} from '../../../text/index.ts'
import { boardFindings } from '../model/board-schemas/board-findings.ts'
import { shortestCycle } from '../../../programs/cycles.ts'
import { guardFindings } from '../guards/cel-guard.ts'
import { definitionSite } from '../model/define.ts'
import { faults } from '../model/faults.ts'
import { GUARD_FORMS } from '../guards/guard-forms.ts'
import { partFindings } from './part-findings.ts'
import { subjectOf, type PlacedEdge, type Subject } from './subject.ts'
import type { Edge, Workflow } from '../types/index.ts'

export interface ValidateOptions {
  /** Returns the place of a part of the workflow in a file. */
  readonly locate?: Locator | undefined
  /** True if an id is already registered. Called for the workflow's own id and for those that it invokes. */
  readonly isRegistered?: ((workflowId: string) => boolean) | undefined
  /** Returns the registered ids, for suggestions. Called only if an id is missing. */
  readonly names?: (() => Iterable<string>) | undefined
}

/**
 * Returns all mistakes in the structure of a workflow, in the order in which a registry checks (seed workflow 3.3, reference
 * workflow 10). `rule` is the code of the seed; warnings refuse nothing. Never throws, for any input; parts of the wrong shape
 * are `R1058`.
 */
export function validateWorkflow(workflow: Workflow, options: ValidateOptions = {}): Fault[] {
  const subject = subjectOf(workflow, options.locate)
  const taken = options.isRegistered?.(workflow.id) === true ? [idTaken(subject)] : []
  if (subject.graph.nodes.length === 0) return [...taken, noNodes(subject)]
  return [
    ...taken,
    ...shapeFindings(subject),
    ...entryFindings(subject),
    ...nodeIdFindings(subject),
    ...edgeFindings(subject),
    ...guardTypeFindings(subject),
    ...expressionFindings(subject),
    ...boardFindings(subject.workflow.board, subject.locate),
    ...terminalFindings(subject),
    ...cycleFindings(subject),
    ...partFindings(subject),
    ...unreachableFindings(subject),
    ...invocationFindings(subject, options),
  ]
}

function idTaken({ workflow, locate }: Subject): Fault {
  return faults.make('R1050', `a workflow ${quote(workflow.id)} is already registered`, {
    rule: 'DUPLICATE_WORKFLOW_ID',
    ...locate(['id']),
    fix: 'give the workflow another id, or use a separate registry',
  })
}

function noNodes({ locate }: Subject): Fault {
  const place = locate(['nodes'], { part: 'key' })
  return faults.make('R1040', 'the workflow has no nodes', { rule: 'EMPTY_WORKFLOW', ...place, fix: 'add the node that "entry" names' })
}

function shapeFindings({ misshapen, locate }: Subject): Fault[] {
  return misshapen.map((path) => {
    const [list, entry] = path
    const part = list === 'nodes' ? 'a node' : 'an edge'
    const whole = list === 'nodes' ? '"nodes" must be an object of nodes' : '"edges" must be a list of edges'
    const fix = list === 'nodes' ? 'write an object with "id" and "spec"' : 'write an object with "id", "from", "to" and "event"'
    return faults.make('R1058', entry === undefined ? whole : `${pathText(path)} is not ${part}`, {
      rule: 'SCHEMA_VIOLATION',
      ...locate(path),
      fix,
    })
  })
}

function entryFindings({ workflow, isNode, guess, locate, nodes }: Subject): Fault[] {
  if (typeof workflow.entry !== 'string' || isNode(workflow.entry)) return []
  const meant = guess(workflow.entry)
  return [
    faults.make('R1041', `entry ${quote(workflow.entry)} is not a node of the workflow`, {
      rule: 'INVALID_ENTRY_NODE',
      ...locate(['entry'], { note: didYouMean(meant) }),
      fix: nameNode(meant, nodes),
      data: { entry: workflow.entry },
    }),
  ]
}

function nodeIdFindings({ nodes, locate }: Subject): Fault[] {
  const wrong = nodes.filter(([key, node]) => typeof node.id === 'string' && node.id !== key)
  return wrong.map(([key, node]) =>
    faults.make('R1045', `node ${quote(key)} has the id ${quote(node.id)}`, {
      rule: 'NODE_ID_MISMATCH',
      ...locate(['nodes', key, 'id'], { note: `its key is ${quote(key)}` }),
      fix: `write ${quote(key)}, or rename the key`,
      data: { key, nodeId: node.id },
    }),
  )
}

function edgeFindings(subject: Subject): Fault[] {
  const firstIndex = new Map<string, number>()
  return subject.edges.flatMap((placed) => {
    const { id } = placed.edge
    const before = firstIndex.get(id)
    if (typeof id === 'string' && before === undefined) firstIndex.set(id, placed.index)
    return [
      ...danglingEnd(subject, placed, 'from'),
      ...danglingEnd(subject, placed, 'to'),
      ...(before === undefined ? [] : [sameId(subject, placed, before)]),
    ]
  })
}

function danglingEnd({ isNode, guess, locate, nodes }: Subject, { edge, index }: PlacedEdge, field: 'from' | 'to'): Fault[] {
  const nodeId = edge[field]
  if (isNode(nodeId)) return []
  const meant = guess(nodeId)
  const name = edgeName(edge.id, index)
  return [
    faults.make(
      field === 'to' ? 'R1042' : 'R1043',
      `${name} ${field === 'to' ? 'points to' : 'leaves'} ${quote(nodeId)}; there is no such node`,
      {
        rule: 'INVALID_EDGE',
        ...locate(['edges', index, field], { note: didYouMean(meant) }),
        fix: nameNode(meant, nodes),
        data: { edgeId: edgeId(edge), field, nodeId },
      },
    ),
  ]
}

function sameId({ workflow, locate, edges }: Subject, { edge, index }: PlacedEdge, before: number): Fault {
  const made = definitionSite(workflow)
  const other = edges.find((one) => one.index === before)?.edge
  // The author of an object literal may have left out the id; it was then made from the event.
  if (made !== undefined && edge.id === `${edge.from}:${edge.event}` && other?.event === edge.event) {
    return faults.make(
      'R1044',
      `two edges from ${quote(edge.from)} have the event ${quote(edge.event)}: to ${quote(other.to)} and to ${quote(edge.to)}`,
      {
        rule: 'INVALID_EDGE',
        ...made,
        path: `edges[${index}]`,
        fix: 'give one of them a different event or id',
        data: { edgeId: edge.id, field: 'id' },
      },
    )
  }
  return faults.make('R1044', `two edges have the id ${quote(edge.id)}`, {
    rule: 'INVALID_EDGE',
    ...locate(['edges', index, 'id'], { note: `also the id of edges[${before}]` }),
    fix: 'give each edge a unique id',
    data: { edgeId: edge.id, field: 'id' },
  })
}

function guardTypeFindings({ edges, locate }: Subject): Fault[] {
  return edges.flatMap(({ edge, index }) => {
    const { guard } = edge
    const type: unknown = typeof guard === 'object' && guard !== null ? guard.type : guard
    if (guard === undefined || (typeof type === 'string' && Object.hasOwn(GUARD_FORMS, type))) return []
    const path: Path = typeof guard === 'object' && guard !== null ? ['edges', index, 'guard', 'type'] : ['edges', index, 'guard']
    const known = Object.keys(GUARD_FORMS)
    const meant = typeof type === 'string' ? suggest(type, known) : undefined
    return [
      faults.make('R1048', `${edgeName(edge.id, index)} has a guard of the unknown type ${shortJson(type)}`, {
        rule: 'SCHEMA_VIOLATION',
        ...locate(path, { note: didYouMean(meant) }),
        fix: meant === undefined ? `write one of ${quoteAll(known)}` : `write ${quote(meant)}`,
        data: { edgeId: edgeId(edge), guardType: typeof type === 'string' ? type : shortJson(type) },
      }),
    ]
  })
}

/** Returns the findings about the expressions of guards, each at its place in the text of the file. */
function expressionFindings({ edges, locate }: Subject): Fault[] {
  return edges.flatMap(({ edge, index }) => {
    const { guard } = edge
    if (typeof guard !== 'object' || guard === null || guard.type !== 'cel') return []
    const path: Path = ['edges', index, 'guard', 'expr']
    const data = { edgeId: edgeId(edge) }
    if (typeof guard.expr !== 'string') return [noExpression(locate(path), edge, index)]
    return guardFindings(guard, (span, note) => ({ ...locate(path, { note, span }), data }))
  })
}

function noExpression(place: ReturnType<Locator>, edge: Edge, index: number): Fault {
  return faults.make('R1058', `the guard of ${edgeName(edge.id, index)} has no expression`, {
    rule: 'SCHEMA_VIOLATION',
    ...place,
    fix: 'write a condition in CEL as "expr"',
    data: { edgeId: edgeId(edge) },
  })
}

function terminalFindings({ graph, locate, misshapen: shapeless }: Subject): Fault[] {
  if (shapeless.length > 0 || graph.terminals.length > 0) return []
  return [
    faults.make('R1046', 'no node ends the workflow', {
      rule: 'NO_TERMINAL_NODES',
      ...locate(['edges'], { part: 'key', note: 'each node has an outgoing edge' }),
      fix: 'add a node without outgoing edges; to repeat something, let a node invoke the workflow itself',
    }),
  ]
}

function cycleFindings({ graph, edges, locate }: Subject): Fault[] {
  return graph.cycles.map((members) => {
    const cycle = shortestCycle(members, (node) => graph.outgoing(node).map((edge) => edge.to))
    const closing = edges.find(({ edge }) => edge.from === cycle.at(-2) && edge.to === cycle.at(-1))
    return faults.make('R1047', `the workflow has a cycle: ${cycleText(cycle)}`, {
      rule: 'CYCLE_DETECTED',
      ...locate(['edges', closing?.index ?? 0, 'to'], { note: 'closes the cycle' }),
      fix: 'remove an edge of the cycle; to repeat something, let a node invoke a workflow',
      data: { nodesInCycle: members },
    })
  })
}

/** Returns the findings about unreachable nodes. Nodes after an unreachable node are not reported: they are the same mistake. */
function unreachableFindings({ workflow, graph, isNode, locate, misshapen: shapeless, edges }: Subject): Fault[] {
  if (shapeless.length > 0 || !isNode(workflow.entry) || edges.some(({ edge }) => !isNode(edge.from) || !isNode(edge.to))) return []
  const reached = graph.reachable(workflow.entry)
  const lost = graph.nodes.filter((node) => !reached.has(node) && graph.incoming(node).length === 0)
  return lost.map((node) =>
    faults.make('R1052', `node ${quote(node)} cannot be reached`, {
      ...locate(['nodes', node], { part: 'key', note: `no edge leads here from ${quote(workflow.entry)}` }),
      fix: 'add an edge that leads to it, or remove it',
    }),
  )
}

/** Returns the findings about invoked workflows. A workflow may invoke itself before it is registered (reference workflow C10). */
function invocationFindings({ workflow, nodes, locate }: Subject, { isRegistered, names = () => [] }: ValidateOptions): Fault[] {
  if (isRegistered === undefined) return []
  let guess: Suggester | undefined
  return nodes.flatMap(([key, node]) => {
    const target: unknown = node.invokes?.workflowId
    if (typeof target !== 'string' || target === workflow.id || isRegistered(target)) return []
    const known = [workflow.id, ...names()].filter((name) => typeof name === 'string')
    const meant = (guess ??= suggester(known))(target)
    const versions = versionsOf(target, known)
    if (versions.length > 0) {
      const fix = `write ${versions.map((name) => quote(name)).join(' or ')}`
      const message = `node ${quote(key)} invokes ${quote(target)}, but there is no such version; there is ${versions.map((name) => quote(name)).join(', ')}`
      return [faults.make('R1053', message, { ...locate(['nodes', key, 'invokes', 'workflowId']), fix })]
    }
    return [
      faults.make('R1053', `node ${quote(key)} invokes ${quote(target)}, which is not registered`, {
        ...locate(['nodes', key, 'invokes', 'workflowId'], { note: didYouMean(meant) }),
        fix: meant === undefined ? 'register it before a run starts, or correct the id' : `write ${quote(meant)}`,
      }),
    ]
  })
}

/** Returns the known versions of a program, for a reference to an unknown version. */
function versionsOf(target: string, known: readonly string[]): readonly string[] {
  const at = target.lastIndexOf('@')
  return at <= 0 ? [] : known.filter((name) => name.startsWith(target.slice(0, at + 1)))
}

function nameNode(meant: string | undefined, nodes: Subject['nodes']): string {
  return meant === undefined ? `name one of ${quoteAll(nodes.map(([key]) => key))}` : `write ${quote(meant)}`
}

function edgeId(edge: Edge): string {
  return typeof edge.id === 'string' ? edge.id : ''
}

function edgeName(id: unknown, index: number): string {
  return typeof id === 'string' ? `edge ${quote(id)}` : `edges[${index}]`
}

function cycleText(cycle: readonly string[]): string {
  const shown =
    cycle.length > 8 ? [...cycle.slice(0, 6).map(quote), `${cycle.length - 7} more`, quote(cycle.at(-1) ?? '')] : cycle.map(quote)
  return shown.join(' → ')
}
