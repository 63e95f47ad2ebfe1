import { countCells } from '../../text/index.ts'
import { Cells, type Weight } from './cells.ts'
import { layOut, type Layout, type Place, type Point } from '../../pictures/layout.ts'
import { type EdgeState, edgeTexts, markOf, type Picture, type PictureEdge, type PictureNode } from '../../pictures/picture.ts'
import type { Look, Paint } from '../look.ts'

/** Horizontal positions are the middles of cells: a box of 27 cells is 26 wide, and its middle is a cell. */
const SPACING = { node: 3, layer: 1, line: 2, label: 1 }

/** A node in its box; edges from the node to itself are listed below its name. */
interface NodeBox {
  readonly node: PictureNode
  readonly text: string
  readonly loops: readonly string[]
  readonly paint: Paint | undefined
}

interface EdgeLabel {
  readonly edge: PictureEdge
  readonly words: readonly string[]
}

/** The widths of conditions in cells, and whether boxes show more than their names; earlier entries are preferred. */
const TRIES = [
  { details: true, words: 32 },
  { details: true, words: 18 },
  { details: false, words: 18 },
  { details: false, words: 12 },
]

/**
 * Draws a picture with the characters of a terminal. Returns undefined if it does not fit even with wrapped conditions
 * and without the actions of nodes. Names are never cut.
 */
export async function drawInCells(picture: Picture, look: Look): Promise<string[] | undefined> {
  for (const { details, words } of TRIES) {
    const labelled = picture.edges.map((edge) => ({ edge, words: edgeTexts(edge, words).map((text) => look.text(text)) }))
    const boxes = picture.nodes.map((node) => boxOf(node, picture, look, details, loopsOf(node, labelled)))
    const labels = labelled.filter(({ edge }) => edge.from !== edge.to)
    if (Math.max(...boxes.map(widthOf)) + 4 > look.room) continue
    const layout = inWholeCells(await layOutCells(boxes, labels))
    if (layout.width <= look.room) return draw(layout, boxes, labels, picture.showsRun, look)
    // Shorter texts never save two thirds of the width.
    if (layout.width > 3 * look.room) return undefined
  }
  return undefined
}

function boxOf(node: PictureNode, { showsRun }: Picture, look: Look, details: boolean, loops: readonly string[]): NodeBox {
  const mark = markOf(node)
  const detail = node.deed === undefined ? '' : node.form === 'call' ? ` ▸ ${node.deed}` : details ? ` · ${node.deed}` : ''
  const text = look.text(`${mark === undefined ? '' : `${look.mark(mark)} `}${node.name}${detail}`)
  return { node, text, loops, paint: showsRun ? PAINTS[node.standing ?? 'none'] : undefined }
}

function loopsOf({ id }: PictureNode, labelled: readonly EdgeLabel[]): string[] {
  const loops = labelled.filter(({ edge }) => edge.from === id && edge.to === id)
  return loops.flatMap(({ words }) =>
    (words.length === 0 ? ['↺'] : words).map((word, i) => (i === 0 && words.length > 0 ? `↺ ${word}` : word)),
  )
}

/** Returns the cells of the longest line in a box. */
function widthOf({ text, loops }: NodeBox): number {
  return Math.max(countCells(text), ...loops.map((loop) => countCells(loop)))
}

const PAINTS: Readonly<Record<NonNullable<PictureNode['standing']> | 'none', Paint>> = {
  passed: 'green',
  running: 'cyan',
  asks: 'yellow',
  waits: 'yellow',
  failed: 'red',
  held: 'dim',
  none: 'dim',
}

function layOutCells(boxes: readonly NodeBox[], labels: readonly EdgeLabel[]): Promise<Layout> {
  const index = new Map(boxes.map(({ node }, i) => [node.id, i]))
  const lineCounts = new Map<string, number>()
  for (const { edge } of labels) for (const end of [`>${edge.from}`, `<${edge.to}`]) lineCounts.set(end, (lineCounts.get(end) ?? 0) + 1)
  return layOut({
    spacing: SPACING,
    nodes: boxes.map((box) => ({
      // The width is odd, so that there is a cell in the middle. Each line has its own cell at the border of the box,
      // and a free cell beside it.
      width:
        (Math.max(widthOf(box) + 4, 2 * Math.max(lineCounts.get(`>${box.node.id}`) ?? 0, lineCounts.get(`<${box.node.id}`) ?? 0) + 3, 9) |
          1) -
        1,
      height: 3 + box.loops.length,
    })),
    edges: labels.map(({ edge, words }) => ({
      from: index.get(edge.from) ?? 0,
      to: index.get(edge.to) ?? 0,
      label: words.length === 0 ? undefined : { width: Math.max(...words.map((word) => countCells(word))) - 1, height: words.length },
    })),
  })
}

/** Returns the layout in whole cells, without the rows that only continue lines. */
function inWholeCells(layout: Layout): Layout {
  const x = (at: number): number => Math.round(at)
  const rows = rowsOf(layout)
  const place = (box: Place): Place => ({ x: x(box.x), y: rows(box.y), width: x(box.width) + 1, height: box.height })
  const edges = layout.edges.map(({ points, label }) => ({
    points: points.map((point): Point => ({ x: x(point.x), y: rows(point.y) })),
    label: label === undefined ? undefined : place(label),
  }))
  const right = edges.flatMap(({ points, label }) => [
    ...points.map((point) => point.x + 1),
    label === undefined ? 0 : label.x + label.width,
  ])
  const nodes = layout.nodes.map(place)
  return { nodes, edges, groups: [], width: Math.max(...nodes.map((box) => box.x + box.width), ...right), height: rows(layout.height) }
}

/** Returns the new row of each row. Rows without a box, label or turn are removed; one stays between two boxes. */
function rowsOf({ nodes, edges, height }: Layout): (y: number) => number {
  const boxes = new Set<number>()
  const used = new Set<number>()
  const fill = ({ y, height: tall }: Place, into: Set<number>): void => {
    for (let row = Math.round(y); row < Math.round(y) + tall; row++) into.add(row)
  }
  for (const box of nodes) fill(box, boxes)
  for (const { points, label } of edges) {
    if (label !== undefined) fill(label, used)
    for (const { y } of points.slice(1, -1)) used.add(Math.round(y))
  }
  const to: number[] = []
  let next = 0
  let before: number | undefined
  for (let row = 0; row <= Math.ceil(height); row++) {
    to.push(next)
    const stays = boxes.has(row) || used.has(row) || (before !== undefined && boxes.has(before) && boxes.has(row + 1))
    if (!stays) continue
    before = row
    next++
  }
  return (y) => to[Math.round(y)] ?? next
}

function draw(layout: Layout, boxes: readonly NodeBox[], labels: readonly EdgeLabel[], lit: boolean, look: Look): string[] {
  const field = new Cells(layout.width, layout.height)
  const styles = labels.map(({ edge }) => lineStyle(edge, lit))
  layout.edges.forEach(({ points }, i) => drawLine(field, points, styles[i]))
  layout.nodes.forEach((place, i) => drawBox(field, place, boxes[i]))
  layout.edges.forEach(({ points, label }, i) => {
    const end = points.at(-1)
    const { paint } = styles[i] ?? {}
    if (end !== undefined) field.write(end.x, isUpward(points) ? end.y - 1 : end.y, isUpward(points) ? '▲' : '▼', paint)
    labels[i]?.words.forEach((word, row) => field.write(label?.x ?? 0, (label?.y ?? 0) + row, word, row > 0 ? 'dim' : paint))
  })
  return field.lines(look)
}

/** True if a line leads back to a box above. */
function isUpward(points: readonly Point[]): boolean {
  return (points.at(-1)?.y ?? 0) < (points[0]?.y ?? 0)
}

/**
 * Draws a line from the lower edge of one box to the upper edge of the other; a line back goes from the upper edge to
 * the lower one.
 */
function drawLine(field: Cells, points: readonly Point[], { weight, paint }: LineStyle = { weight: 'thin', paint: undefined }): void {
  const upward = isUpward(points)
  const last = points.length - 2
  points.slice(1).forEach((to, at) => {
    const from = points[at] ?? to
    field.line(from.x, at === 0 && !upward ? from.y - 1 : from.y, to.x, at === last && upward ? to.y - 1 : to.y, weight, paint)
  })
}

function drawBox(field: Cells, { x, y, width, height }: Place, box: NodeBox | undefined): void {
  if (box === undefined) return
  const { node, text, loops, paint } = box
  const weight = node.standing === undefined || node.standing === 'passed' || node.standing === 'held' ? 'thin' : 'thick'
  const [right, bottom] = [x + width - 1, y + height - 1]
  for (const row of [y, bottom]) field.line(x, row, right, row, weight, paint)
  for (const column of [x, right]) field.line(column, y, column, bottom, weight, paint)
  field.write(x + 2 + Math.floor((width - 4 - countCells(text)) / 2), y + 1, text, paint)
  loops.forEach((loop, row) => field.write(x + 2, y + 2 + row, loop, 'dim'))
  if (node.entry) field.write(x + 1, y, ' start ', paint)
  if (node.end) field.write(x + 1, bottom, ' end ', paint)
}

interface LineStyle {
  readonly weight: Weight
  readonly paint: Paint | undefined
}

const LINES: Readonly<Record<EdgeState, LineStyle>> = {
  taken: { weight: 'thick', paint: 'green' },
  open: { weight: 'thin', paint: undefined },
  closed: { weight: 'dotted', paint: 'dim' },
}

function lineStyle({ standing, jump }: PictureEdge, lit: boolean): LineStyle {
  if (standing !== undefined) return LINES[standing]
  return { weight: jump === undefined ? 'thin' : 'dotted', paint: lit ? 'dim' : undefined }
}
