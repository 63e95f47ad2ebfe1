import { programName } from '../protocol/plain.ts'
import type { Json } from '../kernel/index.ts'
import { faults } from '../runs/faults.ts'
import type { KindView } from '../programs/kind-view.ts'
import type { Graph, GraphEdge, GraphGroup, GraphNode } from '../programs/graph.ts'
import { countCells } from '../text/index.ts'
import type { Mark } from './mark.ts'

/** The state of a node in a run: the run has passed it, works there, asks or waits there, failed there, or had a reason to do nothing there. */
export type NodeState = 'passed' | 'running' | 'asks' | 'waits' | 'failed' | 'held'

/** The state of an edge in a run: the run took it, it is open now, or it was closed when the run was at its node. */
export type EdgeState = 'taken' | 'open' | 'closed'

export interface PictureNode extends GraphNode {
  readonly name: string
  /** The action at the node, in a word: a tool, `asks a person`, the program that is called. */
  readonly deed: string | undefined
  readonly standing: NodeState | undefined
}

export interface PictureEdge extends GraphEdge {
  readonly standing: EdgeState | undefined
  /** The reason why the edge was closed. */
  readonly why: string | undefined
  /** A text that replaces the condition; empty for none. */
  readonly note?: string | undefined
  /** The value that it carried. */
  readonly value?: Json
}

/** The words for the states of edges. */
export type Legend = Readonly<Record<EdgeState, string>>

/** A program as it is drawn: the graph that its kind declares, with the state of a run. */
export interface Picture {
  /** The id of the program. */
  readonly program: string
  readonly kind: string
  readonly nodes: readonly PictureNode[]
  readonly edges: readonly PictureEdge[]
  readonly groups: readonly GraphGroup[]
  /** True if the picture shows a run. */
  readonly showsRun: boolean
  /** The words for the states of its edges, if they are not those of a run. */
  readonly legend?: Legend
  /** The changes that the run made to the program with which it began. */
  readonly changes: readonly string[]
}

/** The drawing of a program, of the programs on the stack of a run, of a part of a record, or of an explanation. */
export interface Drawing {
  /** The argument of the command. */
  readonly what: string
  readonly pictures: readonly Picture[]
  /** The facts of the first picture: the run, its status, its record. */
  readonly facts: readonly string[]
  readonly run?: { readonly id: string; readonly record: number; readonly status: string }
}

/** The states of nodes and edges in one activation of a program. */
export interface RunStates {
  readonly nodes: ReadonlyMap<string, NodeState>
  readonly edges: ReadonlyMap<string, { readonly standing: EdgeState; readonly why?: string | undefined }>
}

/** Returns the graph that a kind declares for a program. Throws `R2036` if the kind declares none. */
export function graphOf(kind: string, view: KindView, def: unknown): Graph {
  const graph = view.graph?.(def)
  if (graph !== undefined) return graph
  throw faults.make('R2036', `programs of the kind ${kind} have no graph to draw`)
}

/** Returns the picture of a program; `name` is `kind:id`. */
export function pictureOf(name: string, graph: Graph, standing?: RunStates, changes: readonly string[] = []): Picture {
  const colon = name.indexOf(':')
  const kind = name.slice(0, colon)
  return {
    program: programName(name),
    kind,
    showsRun: standing !== undefined,
    changes,
    nodes: graph.nodes.map((node) => ({
      ...node,
      name: node.label ?? node.id,
      form: asks(node) && node.form !== 'call' ? 'question' : node.form,
      deed: actionOf(node, kind),
      standing: standing?.nodes.get(node.id),
    })),
    edges: graph.edges.map((edge) => {
      const { standing: state, why } = standing?.edges.get(edge.id) ?? {}
      return { ...edge, standing: state, why }
    }),
    groups: graph.groups ?? [],
  }
}

function asks({ spec }: GraphNode): boolean {
  return spec?.['ask'] !== undefined
}

/**
 * Returns the action at a node: a call, the word of the kind, or the action that our agents derive from the node's
 * spec.
 */
function actionOf(node: GraphNode, kind: string): string | undefined {
  const { calls, deed, spec = {} } = node
  if (calls !== undefined) return calls.startsWith(`${kind}:`) ? programName(calls) : calls
  if (deed !== undefined) return deed
  if (asks(node)) return 'asks a person'
  if (typeof spec['tool'] === 'string') return spec['tool']
  return spec['prompt'] === undefined ? undefined : 'a model'
}

/** Returns the mark of a node: its state in a run, else its form. */
export function markOf({ standing, form }: PictureNode): Mark | undefined {
  if (standing !== undefined) return STATE_MARKS[standing]
  return form === 'choice' ? 'decided' : form === 'question' ? 'asks' : undefined
}

const STATE_MARKS: Readonly<Record<NodeState, Mark>> = {
  passed: 'done',
  running: 'running',
  asks: 'asks',
  waits: 'waits',
  failed: 'failed',
  held: 'skipped',
}

/** The most characters of a condition in a drawing; lists and documents show all of it. */
const LONGEST = 80

/** Returns the text beside a line, wrapped to a width: its label, and its condition or the reason why it was closed. */
export function edgeTexts({ label = '', guard, jump, standing, why, note }: PictureEdge, width: number): string[] {
  const condition = note ?? conditionOf(standing, why, guard)
  const line = condition.replace(/\s+/g, ' ')
  // A condition is cut at its end, because its beginning is the most important part.
  const shown = line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).trimEnd()}…`
  return [...(label === '' ? [] : [label]), ...wrapText(shown, width), ...wrapText(jump ?? '', width)]
}

function conditionOf(standing: EdgeState | undefined, why: string | undefined, guard: string | undefined): string {
  if (standing === 'closed') return `closed${why === undefined ? '' : `: ${why}`}`
  return guard === undefined ? '' : `if ${guard}`
}

/** Wraps text at words; a word that is wider than a line is split. */
function wrapText(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text
    .split(' ')
    .filter((one) => one !== '')
    .flatMap((each) => each.match(new RegExp(`.{1,${width}}`, 'gsu')) ?? [])) {
    const last = lines.at(-1)
    if (last !== undefined && countCells(last) + 1 + countCells(word) <= width) lines.splice(-1, 1, `${last} ${word}`)
    else lines.push(word)
  }
  return lines
}
