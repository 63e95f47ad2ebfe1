import { type Suggester, suggester } from '../../../text/suggest.ts'
import type { AttributeRow } from './attribute-row.ts'
import { GRAPHVIZ_ATTRIBUTES } from './graphviz-attributes.ts'

type Place = AttributeRow['on']

const PLACES: readonly Place[] = ['graph', 'node', 'edge']

interface Index {
  readonly exact: ReadonlyMap<string, readonly AttributeRow[]>
  readonly open: readonly AttributeRow[]
}

/** Attributes by place and name. */
export class AttributeIndex {
  readonly #places: Readonly<Record<Place, Index>>

  constructor(rows: readonly AttributeRow[]) {
    this.#places = { graph: indexOf(rows, 'graph'), node: indexOf(rows, 'node'), edge: indexOf(rows, 'edge') }
  }

  /**
   * Returns the row of an attribute of a node, an edge or the graph, of several with that name the one for the operation;
   * `'ignored'` for those of Graphviz, and for those that mean something to other operations; undefined for an unknown name.
   */
  find(on: Place, name: string, operation?: string): AttributeRow | 'ignored' | undefined {
    const { exact, open } = this.#places[on]
    const isRead = ({ operations }: AttributeRow): boolean => operations === undefined || operations.includes(operation ?? '')
    const rows = exact.get(name)
    if (rows !== undefined) return rows.find(isRead) ?? 'ignored'
    const pattern = open.find((row) => name.length >= row.name.length && name.startsWith(row.name.slice(0, -1)))
    if (pattern !== undefined) return pattern
    return GRAPHVIZ_ATTRIBUTES.has(name) ? 'ignored' : undefined
  }

  /** Returns the other places where an attribute means something. */
  otherPlaces(name: string, on: Place): Place[] {
    return PLACES.filter((place) => place !== on && this.#places[place].exact.has(name))
  }

  /** Guesses what a misspelt attribute was meant to be. The work of one is bounded: take a new one for each program. */
  suggester(on: Place): Suggester {
    return suggester([...this.#places[on].exact.keys()])
  }

  /** Returns the operations that read an attribute of nodes, where not all do. */
  operationsWith(name: string): readonly string[] {
    return (this.#places.node.exact.get(name) ?? []).flatMap(({ operations = [] }) => operations)
  }
}

function indexOf(rows: readonly AttributeRow[], on: Place): Index {
  const exact = new Map<string, AttributeRow[]>()
  const open: AttributeRow[] = []
  for (const row of rows) {
    if (row.on !== on) continue
    if (row.name.endsWith('.*')) open.push(row)
    else for (const name of [row.name, ...row.aliases]) exact.set(name, [...(exact.get(name) ?? []), row])
  }
  return { exact, open }
}
