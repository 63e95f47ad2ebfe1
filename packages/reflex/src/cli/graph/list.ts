import { type EdgeState, markOf, type Picture, type PictureEdge, type PictureNode } from '../../pictures/picture.ts'
import { layoutText } from '../layout.ts'
import type { Look } from '../look.ts'
import type { Mark } from '../../pictures/mark.ts'

const EDGES: Readonly<Record<EdgeState, Mark>> = { taken: 'done', open: 'open', closed: 'skipped' }

/**
 * Returns a picture as text: every node in the order of the program, and below it the edges that leave it. It is for
 * graphs that cannot be drawn.
 */
export function listOf({ nodes, edges }: Picture, look: Look): string[] {
  const leaving = Map.groupBy(edges, ({ from }) => from)
  return nodes.flatMap((node) => [...nodeLines(node, look), ...(leaving.get(node.id) ?? []).flatMap((edge) => edgeLines(edge, look))])
}

function nodeLines(node: PictureNode, look: Look): string[] {
  const { name, deed, form, entry: isEntry, end } = node
  const mark = markOf(node) ?? (form === 'call' ? 'into' : 'note')
  const shown = look.mark(mark)
  const facts = [isEntry ? 'start' : '', end ? 'end' : '', deed === undefined ? '' : form === 'call' ? `calls ${deed}` : deed]
  const text = facts.filter((part) => part !== '').join(` ${look.text('·')} `)
  return layoutText(
    { lead: `${shown} ${look.text(name)}`, painted: `${look.paintMark(mark, shown)} ${look.text(name)}`, text, column: 4 },
    look,
  )
}

function edgeLines({ label, to, guard, jump, standing, why, note }: PictureEdge, look: Look): string[] {
  const mark = standing === undefined ? undefined : EDGES[standing]
  const shown = mark === undefined ? '' : `${look.mark(mark)} `
  const painted = mark === undefined ? '' : `${look.paintMark(mark, look.mark(mark))} `
  const target = look.text(`${label === undefined ? '' : `${label} `}→ ${to}`)
  const open = [guard === undefined ? '' : `if ${guard}`, jump ?? ''].filter((part) => part !== '').join(', ')
  const text = note ?? (standing === 'closed' ? `closed${why === undefined ? '' : `: ${why}`}` : open)
  return layoutText({ lead: `    ${shown}${target}`, painted: `    ${painted}${target}`, text, column: 6 }, look)
}

/** Returns the picture for pipes: a line for each node and each edge, with full values. */
export function rowsOf({ program, nodes, edges }: Picture): string[][] {
  return [
    ...nodes.map(({ id, form, calls = '', entry, end, standing = '' }) => [
      'node',
      program,
      id,
      form,
      [entry ? 'start' : '', end ? 'end' : ''].filter((word) => word !== '').join(','),
      calls,
      standing,
    ]),
    ...edges.map(({ id, from, to, label = '', guard = '', standing = '', why = '', jump = '' }) => [
      'edge',
      program,
      id,
      from,
      to,
      label,
      guard,
      standing,
      why,
      jump,
    ]),
  ]
}
