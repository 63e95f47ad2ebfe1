import { Fault } from '../../../kernel/index.ts'
import { Lines } from '../../../text/index.ts'
import type { Attributes, DotGraph, Span } from '../dot/graph.ts'

/** A span in the text of a pipeline with its path in the object that the text was generated from: `nodes.style.prompt`. */
interface Place extends Span {
  readonly path: string
}

/** The source of a pipeline that was written as an object. */
interface DefinitionSource {
  /** The complete DOT text. */
  readonly text: string
  readonly places: readonly Place[]
}

const written = new WeakMap<DotGraph, DefinitionSource>()

/** Stores the source of a graph. */
export function storeDefinitionSource(graph: DotGraph, how: DefinitionSource): void {
  written.set(graph, how)
}

/** Returns the source of a graph that was written as an object; undefined for other graphs. */
export function definitionSourceOf(graph: DotGraph): DefinitionSource | undefined {
  return written.get(graph)
}

/** Returns the places of all elements in the order of the object. `ids` are its nodes, `edges` the paths of its edges. */
export function placesOf(graph: DotGraph, text: string, ids: Iterable<string>, edges: readonly string[]): readonly Place[] {
  const places: Place[] = [{ from: 0, to: text.indexOf('\n'), path: 'id' }, ...attributePlaces('', graph.attributes)]
  const add = (path: string, { at, attributes }: { readonly at?: Span | undefined; readonly attributes: Attributes }): void => {
    if (at !== undefined) places.push({ ...at, path }, ...attributePlaces(path, attributes))
  }
  for (const id of ids) {
    const node = graph.nodes.get(id)
    if (node !== undefined) add(pathTo('nodes', id), node)
  }
  graph.edges.forEach((edge, i) => add(edges[i] ?? 'edges', edge))
  return places
}

function attributePlaces(owner: string, attributes: Attributes): Place[] {
  return [...attributes].flatMap(([key, { keyAt, valueAt }]) => {
    if (keyAt === undefined) return []
    return [{ from: keyAt.from, to: valueAt?.to ?? keyAt.to, path: pathTo(owner, key) }]
  })
}

/** Returns the path of a property in TypeScript syntax. */
export function pathTo(owner: string, key: string): string {
  if (!/^[A-Za-z_]\w*$/.test(key)) return `${owner}[${JSON.stringify(key)}]`
  return owner === '' ? key : `${owner}.${key}`
}

/**
 * Moves findings from places in the text to paths in the object, and sorts them in its order. The frame still shows the line of
 * the generated text, without its number.
 */
export function placeInObject(findings: readonly Fault[], { text, places }: DefinitionSource): Fault[] {
  const lines = new Lines(text)
  return findings
    .map((finding) => {
      const { line, column = 1 } = finding
      return { finding, place: line === undefined ? undefined : innermost(places, lines.offset({ line, column })) }
    })
    .toSorted((one, other) => rankOf(places, one.place) - rankOf(places, other.place))
    .map(({ finding, place }) => (place === undefined ? finding : moved(finding, place.path)))
}

function innermost(places: readonly Place[], offset: number): Place | undefined {
  return places
    .filter(({ from, to }) => from <= offset && offset < to)
    .reduce<Place | undefined>((best, one) => (best === undefined || one.to - one.from <= best.to - best.from ? one : best), undefined)
}

function rankOf(places: readonly Place[], place: Place | undefined): number {
  return place === undefined ? -1 : places.indexOf(place)
}

function moved(finding: Fault, path: string): Fault {
  const { code, message, verdict, line: _, column: __, length: ___, ...details } = finding.toJSON()
  return new Fault(code, message, verdict, { ...details, path })
}
