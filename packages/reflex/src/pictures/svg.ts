import { countCells } from '../text/index.ts'
import { layOut, type Layout, type Place } from './layout.ts'
import { edgeTexts, markOf, type NodeState, type Picture, type PictureEdge, type PictureNode } from './picture.ts'
import { drawBadge, escaped, outline, path, tenths } from './svg-shapes.ts'
import { CELL, FONT, styleSheet } from './svg-style.ts'
import type { Mark } from './mark.ts'
import { counted } from '../protocol/plain.ts'

/** A picture with a title line above it. */
export interface TitledPicture {
  readonly picture: Picture
  readonly title: string
  readonly facts: string
}

const MARGIN = 28
const SPACING = { node: 36, layer: 22, line: 18, label: 8 }
/** The size of a badge and the gap between it and the name. */
const BADGE = 10
const GAP = 6
const LINE = 15
/** The size of the dot from which the line to the entry starts. The layout treats it as a node. */
const DOT = 10
const WORDS = 34

/**
 * Draws pictures as one SVG, below each other, sized by their content. It fits light and dark backgrounds, contains no
 * scripts and no requests to other hosts, and describes its content as text for readers who cannot see it.
 */
export async function drawSvg(titled: readonly TitledPicture[]): Promise<string> {
  const parts: { readonly svg: string; readonly width: number; readonly height: number }[] = []
  for (const one of titled) parts.push(await part(one))
  const width = Math.ceil(Math.max(...parts.map((each) => each.width)) + 2 * MARGIN)
  let top = MARGIN
  const placed = parts.map(({ svg, height }) => {
    const moved = `<g transform="translate(${MARGIN} ${tenths(top)})">\n${svg}\n</g>`
    top += height + MARGIN
    return moved
  })
  const [first] = titled
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="reflex-graph" role="img" width="${width}" height="${Math.ceil(top)}" viewBox="0 0 ${width} ${Math.ceil(top)}">`,
    `<title>${escaped(first === undefined ? '' : `${first.title} ${first.facts}`)}</title>`,
    `<desc>${escaped(titled.map(({ picture }) => described(picture)).join('\n'))}</desc>`,
    styleSheet(),
    `<rect class="paper" width="100%" height="100%" rx="8"/>`,
    ...placed,
    '</svg>',
    '',
  ].join('\n')
}

interface NodeBox {
  readonly node: PictureNode | undefined
  readonly name: string
  readonly detail: string | undefined
  readonly badge: Mark | undefined
}

async function part({ picture, title, facts }: TitledPicture): Promise<{ svg: string; width: number; height: number }> {
  const boxes = picture.nodes.map(boxOf)
  const words = picture.edges.map((edge) => edgeTexts(edge, WORDS))
  const index = new Map(picture.nodes.map(({ id }, i) => [id, i]))
  const entries = picture.nodes.flatMap(({ entry }, i) => (entry ? [i] : []))
  const layout = await layOut({
    spacing: SPACING,
    nodes: [...boxes.map(extentOf), ...entries.map(() => ({ width: DOT, height: DOT }))],
    edges: [
      ...picture.edges.map(({ from, to }, i) => ({
        from: index.get(from) ?? 0,
        to: index.get(to) ?? 0,
        label: labelExtent(words[i] ?? []),
      })),
      ...entries.map((to, i) => ({ from: boxes.length + i, to, label: undefined })),
    ],
    groups: picture.groups.map(({ label, nodes }) => ({
      nodes: nodes.flatMap((id) => index.get(id) ?? []),
      label: labelExtent([label]),
    })),
  })
  const head = FONT.title + 20
  const titleWidth = countCells(title) * FONT.title * CELL + (countCells(facts) + 3) * FONT.small * CELL
  const right = layout.edges.flatMap(({ label }) => (label === undefined ? [] : [label.x + label.width]))
  const svg = [
    `<text y="${FONT.title - 3}"><tspan class="title">${escaped(title)}</tspan><tspan class="dim" dx="14">${escaped(facts)}</tspan></text>`,
    `<g transform="translate(0 ${head})">`,
    ...pictureShapes(picture, layout, boxes, words, entries),
    '</g>',
  ].join('\n')
  return { svg, width: Math.max(layout.width, titleWidth, ...right), height: head + layout.height }
}

/** Draws lines first, so that boxes cover them; both in the order of the program. */
function pictureShapes(
  picture: Picture,
  layout: Layout,
  boxes: readonly NodeBox[],
  words: readonly string[][],
  entries: readonly number[],
): string[] {
  const { nodes, edges, showsRun } = picture
  const begins = entries.map((to, i) => {
    const dot = layout.nodes[boxes.length + i]
    const tone = toneOf(nodes[to], showsRun).replace('here', '')
    const circle =
      dot === undefined ? '' : `<circle class="dot" cx="${tenths(dot.x + DOT / 2)}" cy="${tenths(dot.y + DOT / 2)}" r="${DOT / 2}"/>`
    return group(`edge ${tone}`, 'a run begins here', `${circle}${path(layout.edges[edges.length + i]?.points ?? [])}`)
  })
  const lines = edges.map((edge, i) => {
    const { points = [], label } = layout.edges[i] ?? {}
    return group(`edge ${lineTone(edge, showsRun)}`, edgeTitle(edge), `${path(points)}${labelText(words[i] ?? [], label)}`)
  })
  const all = boxes.map((box, i) => drawBox(box, layout.nodes[i], toneOf(nodes[i], showsRun)))
  return [...frames(picture, layout), ...begins, ...lines, ...all]
}

function frames({ groups }: Picture, layout: Layout): string[] {
  return groups.map(({ label }, i) => {
    const { x = 0, y = 0, width = 0, height = 0 } = layout.groups[i] ?? {}
    const box = `<rect class="frame" x="${tenths(x)}" y="${tenths(y)}" width="${tenths(width)}" height="${tenths(height)}" rx="8"/>`
    return group('group', label, `${box}<text class="dim" x="${tenths(x + 10)}" y="${tenths(y + 16)}">${escaped(label)}</text>`)
  })
}

function boxOf(node: PictureNode): NodeBox {
  return {
    node,
    name: node.name,
    detail: node.deed,
    badge: node.form === 'choice' && node.standing === undefined ? undefined : markOf(node),
  }
}

function extentOf({ node, name, detail, badge }: NodeBox): { width: number; height: number } {
  const first = countCells(name) * FONT.name * CELL + (badge === undefined ? 0 : BADGE + GAP)
  const second = detail === undefined ? 0 : countCells(detail) * FONT.small * CELL + (node?.form === 'call' ? 12 : 0)
  const sides = node?.form === 'choice' ? 52 : node?.form === 'call' ? 44 : 32
  return { width: Math.ceil(Math.max(first, second, 40) + sides), height: detail === undefined ? 36 : 50 }
}

function labelExtent(words: readonly string[]): { width: number; height: number } | undefined {
  if (words.length === 0) return undefined
  return { width: Math.ceil(Math.max(...words.map((word) => countCells(word))) * FONT.small * CELL), height: words.length * LINE }
}

function drawBox({ node, name, detail, badge }: NodeBox, place: Place | undefined, tone: string): string {
  if (node === undefined || place === undefined) return ''
  const { x, y, width, height } = place
  const middle = x + width / 2
  const base = y + height / 2 + (detail === undefined ? 4.5 : -4)
  const wide = countCells(name) * FONT.name * CELL
  const shift = badge === undefined ? 0 : (BADGE + GAP) / 2
  const call = node.form === 'call'
  const below = `<text class="dim" x="${tenths(middle + (call ? 6 : 0))}" y="${tenths(base + 17)}" text-anchor="middle">${escaped(detail ?? '')}</text>`
  const left = middle - (countCells(detail ?? '') * FONT.small * CELL) / 2 - 6
  const into = `<path class="badge full" d="M${tenths(left)} ${tenths(base + 9)}l6 4l-6 4z"/>`
  return group(
    `node ${node.form} ${tone}`,
    [node.id, node.about].filter((text) => text !== undefined).join(': '),
    [
      ...outline(node, place),
      badge === undefined ? '' : drawBadge(badge, middle - wide / 2 - GAP / 2, base - 4.5),
      `<text class="name" x="${tenths(middle + shift)}" y="${tenths(base)}" text-anchor="middle">${escaped(name)}</text>`,
      detail === undefined ? '' : below,
      detail === undefined || !call ? '' : into,
    ].join(''),
  )
}

function labelText(words: readonly string[], place: Place | undefined): string {
  if (place === undefined) return ''
  return words
    .map(
      (word, i) =>
        `<text${i === 0 ? '' : ' class="dim"'} x="${tenths(place.x)}" y="${tenths(place.y + i * LINE + 11)}">${escaped(word)}</text>`,
    )
    .join('')
}

const TONES: Readonly<Record<NodeState, string>> = {
  passed: 'green',
  running: 'cyan here',
  asks: 'yellow here',
  waits: 'yellow here',
  failed: 'red here',
  held: 'faint',
}

function toneOf(node: PictureNode | undefined, lit: boolean): string {
  if (node?.standing !== undefined) return TONES[node.standing]
  return lit ? 'faint' : node?.form === 'question' ? 'yellow' : ''
}

function lineTone({ standing, jump }: PictureEdge, lit: boolean): string {
  const tone = standing === 'taken' ? 'taken green' : (standing ?? (lit ? 'faint' : ''))
  return jump === undefined ? tone : `jump ${tone}`
}

function group(name: string, title: string, inner: string): string {
  return `<g class="${name.trim()}"><title>${escaped(title)}</title>${inner}</g>`
}

function edgeTitle(edge: PictureEdge): string {
  const [label, condition] = [edge.label === undefined ? '' : `: ${edge.label}`, edge.guard === undefined ? '' : `, if ${edge.guard}`]
  const jump = edge.jump === undefined ? '' : `, ${edge.jump}`
  if (edge.note !== undefined) return `${edge.from} to ${edge.to}${label}${edge.note === '' ? '' : `, ${edge.note}`}`
  const state = edge.standing === undefined ? '' : `, ${edge.standing}${edge.why === undefined ? '' : `: ${edge.why}`}`
  return `${edge.from} to ${edge.to}${label}${condition}${jump}${state}`
}

function described({ program, nodes, edges }: Picture): string {
  const sentences = edges.map((edge) => `${edgeTitle(edge)}.`).join(' ')
  const names = (wanted: 'entry' | 'end'): string => nodes.flatMap((node) => (node[wanted] ? [node.id] : [])).join(', ')
  return `${program}: ${counted(nodes.length, 'node')}, ${counted(edges.length, 'edge')}. Begins at ${names('entry')}. Ends at ${names('end')}. ${sentences}`
}
