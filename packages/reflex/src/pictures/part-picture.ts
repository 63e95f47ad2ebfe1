import { pictureInside } from '../history/inside.ts'
import type { TraceWorld } from '../history/trace-of.ts'
import type { PartEdge, PartPicture } from '../programs/inside-view.ts'
import { shortJson } from '../text/index.ts'
import type { RunRow } from '../kernel/index.ts'
import { type Drawing, type EdgeState, graphOf, type Legend, type NodeState, type Picture, pictureOf } from './picture.ts'

/** The most characters of a value beside a line. */
const LONGEST_VALUE = 24

const LEGEND: Legend = { taken: 'decided', open: 'carried a value', closed: 'did not emit' }
const EDGES: Readonly<Record<PartEdge['standing'], EdgeState>> = { decided: 'taken', carried: 'open', silent: 'closed' }

/**
 * Returns the drawing of one part of a record: the program with what it did there. The record is repeated; nothing is performed. Throws
 * `R2065` for a part that does not exist.
 */
export async function drawingOfPart(
  world: TraceWorld,
  what: string,
  row: Pick<RunRow, 'id' | 'last' | 'status'>,
  place: { readonly record: number; readonly part: number },
): Promise<Drawing> {
  // After it, the programs of all pins are known.
  const { state } = await world.runtime.peek(row.id)
  const { picture, program, record, part } = await pictureInside(world, row, place.record, place)
  const view = world.programsOf(state).view(program.kind)
  const drawn = pictureOf(program.name, graphOf(program.kind, view, program.def), { nodes: new Map<string, NodeState>(), edges: new Map() })
  return {
    what,
    pictures: [withPart(drawn, picture)],
    facts: [row.id, picture.name, `@${record}.${part}`, ...picture.facts],
    run: { id: row.id, record, status: row.status },
  }
}

/** Puts what a part did on the picture of its program. */
function withPart(drawn: Picture, { nodes, edges }: PartPicture): Picture {
  return {
    ...drawn,
    legend: LEGEND,
    nodes: drawn.nodes.map((node) => {
      const seen = nodes.get(node.id)
      return seen === undefined ? node : { ...node, standing: seen.standing, deed: seen.text === '' ? node.deed : seen.text }
    }),
    edges: drawn.edges.map((edge) => {
      const seen = edges.get(edge.id)
      if (seen === undefined) return edge
      const value = seen.value === undefined ? '' : ` = ${shortJson(seen.value, LONGEST_VALUE)}`
      const note = seen.standing === 'silent' ? 'not emitted' : ''
      const label = `${edge.label ?? ''}${value}`
      return {
        ...edge,
        standing: EDGES[seen.standing],
        note,
        ...(label === '' ? {} : { label }),
        ...(seen.value === undefined ? {} : { value: seen.value }),
      }
    }),
  }
}
