import type { Cause } from '../history/causes.ts'
import type { Graph, GraphEdge, GraphNode } from '../programs/graph.ts'
import { shortJson } from '../text/index.ts'
import { type Drawing, type NodeState, pictureOf } from './picture.ts'

/** The most characters of the text of a cause in a picture. */
const LONGEST_TEXT = 60
const LONGEST_VALUE = 32

/** Returns the drawing of an explanation: each cause once, with lines from the causes to what they led to. `what`: the question. */
export function drawingOfCause(what: string, run: { readonly id: string; readonly status: string }, cause: Cause): Drawing {
  const nodes = new Map<string, GraphNode>()
  const edges = new Map<string, GraphEdge>()
  const standing = new Map<string, NodeState>()
  const add = (one: Cause, led?: string): void => {
    const id = idOf(one)
    if (!nodes.has(id)) {
      nodes.set(id, nodeOf(id, one, led === undefined))
      standing.set(id, one.failed === true ? 'failed' : 'passed')
    }
    if (led !== undefined) edges.set(`${id} -> ${led}`, { id: `${id} -> ${led}`, from: id, to: led })
    for (const inner of one.from) add(inner, id)
  }
  add(cause)
  const graph: Graph = { nodes: [...nodes.values()].toReversed(), edges: [...edges.values()].toReversed() }
  const taken = new Map([...edges.keys()].map((id) => [id, { standing: 'taken' as const }]))
  const picture = { ...pictureOf(`why:${cause.name}`, graph, { nodes: standing, edges: taken }), program: `why ${cause.name}` }
  return { what, pictures: [picture], facts: [run.id, placeOf(cause)], run: { id: run.id, record: cause.record, status: run.status } }
}

/** Returns the address of a cause: its record, and its part of it. */
export function placeOf({ record, part }: Cause): string {
  return part === undefined ? `@${record}` : `@${record}.${part}`
}

function idOf(cause: Cause): string {
  return `${cause.name} ${placeOf(cause)}`
}

function nodeOf(id: string, { name, what, value, text = '', by, because }: Cause, isEnd: boolean): GraphNode {
  const shown = value === undefined ? [] : [shortJson(value, LONGEST_VALUE)]
  const said = [...shown, text, by === undefined ? '' : `by ${by}`].filter((part) => part !== '').join(', ')
  const deed = said.length <= LONGEST_TEXT ? said : `${said.slice(0, LONGEST_TEXT - 1).trimEnd()}…`
  return {
    id,
    label: name,
    form: what === 'decision' ? 'choice' : what === 'call' ? 'call' : 'step',
    ...(isEnd ? { end: true as const } : {}),
    ...(because === undefined ? {} : { about: because }),
    ...(deed === '' ? {} : { deed }),
  }
}
