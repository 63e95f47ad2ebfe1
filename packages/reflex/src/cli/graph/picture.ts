import { faults } from '../../runs/faults.ts'
import type { Graph, GraphEdge, GraphGroup, GraphNode, Kind } from '../../kernel/index.ts'
import { countCells } from '../../text/index.ts'
import type { Mark } from '../look.ts'
import { programName } from '../event-text.ts'

/** How a run stands to a node: it has been there, it is there now and does something, asks or waits, or what it did there failed. */
export type NodeState = 'passed' | 'running' | 'asks' | 'waits' | 'failed'

/** How a run stands to a way on: it went there, it could go there now, or it could not when it was there. */
export type EdgeState = 'taken' | 'open' | 'closed'

export interface PictureNode extends GraphNode {
  readonly name: string
  /** What is done here, in a word: a tool, `asks a person`, the program that is called. */
  readonly deed: string | undefined
  readonly standing: NodeState | undefined
}

export interface PictureEdge extends GraphEdge {
  readonly standing: EdgeState | undefined
  /** Why it was closed. */
  readonly why: string | undefined
}

/** A program as it is drawn: what its kind declares, in words, and what a run has done. */
export interface Picture {
  /** The id of the program. */
  readonly program: string
  readonly kind: string
  readonly nodes: readonly PictureNode[]
  readonly edges: readonly PictureEdge[]
  readonly groups: readonly GraphGroup[]
  /** Whether it shows a run. */
  readonly showsRun: boolean
  /** What the run has made of the program that it began with. */
  readonly changes: readonly string[]
}

/** What a run did in one activation of a program. */
export interface RunStates {
  readonly nodes: ReadonlyMap<string, NodeState>
  readonly edges: ReadonlyMap<string, { readonly standing: EdgeState; readonly why?: string | undefined }>
}

/** What a kind declares as the picture of a program. Throws `R2036` for a kind that declares none. */
export function graphOf(kind: Kind, def: unknown): Graph {
  const graph = kind.graph?.(def)
  if (graph !== undefined) return graph
  throw faults.make('R2036', `programs of the kind ${kind.name} have no picture`)
}

/** The picture of a program; `name` as `kind:id`. */
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

/** What is done here: a call, what the kind says, or what our agents would do by the words of theirs that the node uses. */
function actionOf(node: GraphNode, kind: string): string | undefined {
  const { calls, deed, spec = {} } = node
  if (calls !== undefined) return calls.startsWith(`${kind}:`) ? programName(calls) : calls
  if (deed !== undefined) return deed
  if (asks(node)) return 'asks a person'
  if (typeof spec['tool'] === 'string') return spec['tool']
  return spec['prompt'] === undefined ? undefined : 'a model'
}

/** The mark of a node: where a run stands to it, else what it is. */
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
}

/** What a condition may have in a drawing; lists and documents have it whole. */
const LONGEST = 80

/** What stands beside a line: its label, and when it is open or why it was closed, in lines of a width. */
export function edgeTexts({ label = '', guard, jump, standing, why }: PictureEdge, width: number): string[] {
  const condition = standing === 'closed' ? `closed${why === undefined ? '' : `: ${why}`}` : guard === undefined ? '' : `if ${guard}`
  const line = condition.replace(/\s+/g, ' ')
  // The beginning of a condition says most.
  const shown = line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).trimEnd()}…`
  return [...(label === '' ? [] : [label]), ...wrapText(shown, width), ...wrapText(jump ?? '', width)]
}

/** Words to words; one that is wider than a line is cut. */
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
