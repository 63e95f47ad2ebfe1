import { Fault } from '../../../kernel/journal/fault.ts'
import { Lines } from '../../../text/place.ts'
import type { Attributes, DotGraph, Span } from '../dot/graph.ts'

/** A stretch of the text of a pipeline, and what stands there in the object that it was made from: `nodes.style.prompt`. */
interface Place extends Span {
  readonly path: string
}

/** What stands where in a pipeline that was written as an object. */
interface DefinitionSource {
  /** Its text, which has all of it. */
  readonly text: string
  readonly places: readonly Place[]
}

const written = new WeakMap<DotGraph, DefinitionSource>()

/** Keeps of a graph how it was written. */
export function storeDefinitionSource(graph: DotGraph, how: DefinitionSource): void {
  written.set(graph, how)
}

/** How a graph was written, if it was as an object. */
export function definitionSourceOf(graph: DotGraph): DefinitionSource | undefined {
  return written.get(graph)
}

/** Where everything stands, in the order of the object: `ids` are its nodes, `edges` the paths of its edges. */
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

/** The path of a property, as TypeScript would read it. */
export function pathTo(owner: string, key: string): string {
  if (!/^[A-Za-z_]\w*$/.test(key)) return `${owner}[${JSON.stringify(key)}]`
  return owner === '' ? key : `${owner}.${key}`
}

/**
 * What was found in the text, as found in the object: by its path there, and in its order. The frame still shows the line of
 * the text, which says the same; its number would lead nowhere.
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
