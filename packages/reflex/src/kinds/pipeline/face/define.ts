import { shortJson, checkArguments, NAMED_VALUES } from '../../../text/index.ts'
import { storeDefinitionSource, pathTo, placesOf } from '../check/define-places.ts'
import type { DefinedPipeline, PipelineDefinition } from './define-types.ts'
import { attributeValue } from './define-values.ts'
import { dotFaults } from '../dot/faults.ts'
import { freezeGraph } from '../dot/freeze.ts'
import type { Attribute, DotEdge, DotNode } from '../dot/graph.ts'
import { parseDot } from '../dot/parse.ts'
import { serializeGraph } from '../dot/serialize.ts'

/**
 * Builds a pipeline from one typed object literal: the editor marks a wrong node id and a wrong value of a known attribute.
 * Other attributes are custom, as in DOT. The result is the graph that the same pipeline has in DOT; `Reflex`, `run`,
 * `validate`, `compileGraph` and `serializeGraph` accept it.
 *
 *     const review = pipeline({
 *       id: 'review', goal: 'Review a change',
 *       nodes: { start: {}, style: { prompt: 'How does $diff read?', timeout: '5m' }, ask: { shape: 'hexagon' }, end: {} },
 *       edges: [['start', 'style', 'ask'], { from: 'ask', to: 'end', label: '[M] Merge' }, { from: 'ask', to: 'style', label:
 *       '[A] Again' }],
 *     })
 *
 * A list becomes words separated by commas, an object becomes JSON. Mistakes that need the whole pipeline are found when it is
 * checked or run; findings give the path in the object, such as `nodes.style.prompt`. Throws `R1107` and `R2004` for a value
 * that no attribute can hold, `R1100` if nodes or edges do not have the right shape.
 */
export function pipeline<Nodes>(definition: PipelineDefinition<Nodes>): DefinedPipeline<keyof Nodes & string> {
  checkArguments('pipeline', { definition: [definition, NAMED_VALUES] })
  const { id = 'pipeline', nodes, edges, ...rest }: Plain = definition
  if (typeof id !== 'string') throw shapeFault('id', id, 'a name')
  if (!isRecord(nodes)) throw shapeFault('nodes', nodes, 'an object of nodes')
  if (!Array.isArray(edges)) throw shapeFault('edges', edges, 'a list of edges')
  const drawn = edges.flatMap((edge, i) => edgesOf(edge, `edges[${i}]`))
  const draft = {
    id,
    attributes: attributesOf(rest, ''),
    nodes: new Map(Object.entries(nodes).map(([key, node]) => [key, nodeOf(key, node)])),
    edges: drawn.map(({ edge }, index) => ({ ...edge, index })),
    subgraphs: [],
  }
  const text = serializeGraph(draft, { stripInternal: false })
  const { graph } = parseDot(text, { accumulateErrors: true })
  if (graph === undefined) throw new TypeError('the serialized graph could not be parsed')
  storeDefinitionSource(graph, {
    text,
    places: placesOf(
      graph,
      text,
      draft.nodes.keys(),
      drawn.map(({ path }) => path),
    ),
  })
  return freezeGraph(graph) as DefinedPipeline<keyof Nodes & string>
}

/** The definition before it is checked: in JavaScript, no compiler checks it. */
type Plain = Readonly<Record<string, unknown>>

function nodeOf(id: string, node: unknown): DotNode {
  const path = pathTo('nodes', id)
  if (!isRecord(node)) throw shapeFault(path, node, 'an object of attributes')
  return { id, attributes: attributesOf(node, path), classes: [] }
}

/** Returns the edges of one entry, each with its path. */
function edgesOf(entry: unknown, path: string): { readonly edge: Omit<DotEdge, 'index'>; readonly path: string }[] {
  if (Array.isArray(entry)) {
    if (entry.length < 2) throw shapeFault(path, entry, 'a list of at least two nodes')
    return entry.slice(1).map((to, i) => ({ edge: { ...endsOf(entry[i], to, path), attributes: new Map() }, path }))
  }
  if (!isRecord(entry)) throw shapeFault(path, entry, 'a list of nodes, or an object')
  const { from, to, ...attributes } = entry
  return [{ edge: { ...endsOf(from, to, path), attributes: attributesOf(attributes, path) }, path }]
}

function endsOf(from: unknown, to: unknown, path: string): Pick<DotEdge, 'from' | 'to'> {
  if (typeof from !== 'string') throw shapeFault(path, from, 'the id of the node that the edge leaves')
  if (typeof to !== 'string') throw shapeFault(path, to, 'the id of the node that the edge leads to')
  return { from, to }
}

function attributesOf(given: Plain, owner: string): ReadonlyMap<string, Attribute> {
  return new Map(
    Object.entries(given).flatMap(([key, value]) => {
      if (value === undefined) return []
      return [[key, { value: attributeValue(value, key, pathTo(owner, key)), provenance: 'own' as const }]]
    }),
  )
}

function isRecord(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shapeFault(path: string, value: unknown, wanted: string): Error {
  return dotFaults.make('R1100', `${path} is ${shortJson(value)}; it must be ${wanted}`, { path, fix: `give ${wanted}` })
}
