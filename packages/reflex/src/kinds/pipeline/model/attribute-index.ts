import { type Suggester, suggester } from '../../../text/index.ts'
import type { AttributeRow } from './attribute-row.ts'

/** The attributes of Graphviz: known, kept, and without effect on a run. */
const NAMES = `_background area arrowhead arrowsize arrowtail background bb beautify bgcolor center charset cluster clusterrank
color colorscheme comment compound concentrate constraint Damping decorate defaultdist dim dimen dir diredgeconstraints
distortion dpi edgeURL edgehref edgetarget edgetooltip epsilon esep fillcolor fixedsize fontcolor fontname fontnames fontpath
fontsize forcelabels gradientangle group head_lp headURL headclip headhref headlabel headport headtarget headtooltip height
href id image imagepath imagepos imagescale inputscale K labelURL labelangle labeldistance labelfloat labelfontcolor
labelfontname labelfontsize labelhref labeljust labelloc labeltarget labeltooltip landscape layer layerlistsep layers
layerselect layersep layout len levels levelsgap lhead lheight linelength lp ltail lwidth margin maxiter mclimit mindist minlen
model mosek name newrank nodesep nojustify normalize notranslate nslimit nslimit1 oneblock ordering orientation
outputorder overlap overlap_scaling overlap_shrink pack packmode pad page pagedir pencolor penwidth peripheries pin pos
quadtree quantum radius rank rankdir ranksep ratio rects regular remincross repulsiveforce resolution root rotate rotation
samehead sametail samplepoints scale searchsize sep shape shapefile showboxes sides size skew smoothing sortv splines start style
stylesheet tail_lp tailURL tailclip tailhref taillabel tailport tailtarget tailtooltip target TBbalance tooltip truecolor URL
vertices viewport voro_margin weight width xdotversion xlabel xlp z`

const GRAPHVIZ_ATTRIBUTES: ReadonlySet<string> = new Set(NAMES.split(/\s+/))

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
   * Returns the row of an attribute of a node, an edge or the graph; if several rows have the name, the row of the operation.
   * Returns `'ignored'` for Graphviz attributes and for attributes of other operations, undefined for an unknown name.
   */
  find(on: Place, name: string, operation?: string): AttributeRow | 'ignored' | undefined {
    const { exact, open } = this.#places[on]
    const rows = exact.get(name)
    if (rows !== undefined) {
      for (const row of rows) if (row.operations === undefined || row.operations.includes(operation ?? '')) return row
      return 'ignored'
    }
    const pattern = open.find((row) => name.length >= row.name.length && name.startsWith(row.name.slice(0, -1)))
    if (pattern !== undefined) return pattern
    return GRAPHVIZ_ATTRIBUTES.has(name) ? 'ignored' : undefined
  }

  /** Returns the other places that have an attribute of this name. */
  otherPlaces(name: string, on: Place): Place[] {
    return PLACES.filter((place) => place !== on && this.#places[place].exact.has(name))
  }

  /** Returns a suggester for misspelt attributes. Its total work is limited: create one per program. */
  suggester(on: Place): Suggester {
    return suggester([...this.#places[on].exact.keys()])
  }

  /** Returns the operations that read a node attribute. Empty if all nodes read it. */
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
