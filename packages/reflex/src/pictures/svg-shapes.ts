import { printable } from '../text/index.ts'
import type { Place, Point } from './layout.ts'
import type { PictureNode } from './picture.ts'
import type { Mark } from './mark.ts'

/** Returns the outline of a node: a choice has pointed sides, a call has double sides, an end has a second rim. */
export function outline({ form, end }: PictureNode, { x, y, width, height }: Place): string[] {
  const shape = (grow: number, name: string): string => {
    const [left, top, right, bottom] = [x - grow, y - grow, x + width + grow, y + height + grow]
    if (form !== 'choice')
      return `<rect class="${name}" x="${tenths(left)}" y="${tenths(top)}" width="${tenths(right - left)}" height="${tenths(bottom - top)}" rx="${8 + grow}"/>`
    const [cut, half] = [14, tenths((top + bottom) / 2)]
    return `<path class="${name}" d="M${tenths(left)} ${half}L${tenths(left + cut)} ${tenths(top)}H${tenths(right - cut)}L${tenths(right)} ${half}L${tenths(right - cut)} ${tenths(bottom)}H${tenths(left + cut)}Z"/>`
  }
  const sides = `<path class="rim" d="M${tenths(x + 7)} ${tenths(y)}V${tenths(y + height)}M${tenths(x + width - 7)} ${tenths(y)}V${tenths(y + height)}"/>`
  return [shape(0, 'box'), ...(form === 'call' ? [sides] : []), ...(end ? [shape(-3.5, 'rim')] : [])]
}

export function drawBadge(mark: Mark, x: number, y: number): string {
  const at = (path: string, full = false): string =>
    `<path class="badge${full ? ' full' : ''}" transform="translate(${tenths(x)} ${tenths(y)})" d="${path}"/>`
  switch (mark) {
    case 'done':
      return at('M-4.5 0.5l3.2 3.2l6-7')
    case 'failed':
      return at('M-4 -4l8 8M4 -4l-8 8')
    case 'skipped':
      return at('M-4 0h8')
    case 'waits':
      return at('M-2.5 -4v8M2.5 -4v8')
    case 'running':
      return at('M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z', true)
    default:
      return at('M-3 -2.6a3 3 0 1 1 4.4 2.7q-1.4 .8 -1.4 2.1M0 4.9v.1')
  }
}

/** Returns a line with round turns and an arrowhead at its end. */
export function path(points: readonly Point[]): string {
  const end = points.at(-1)
  const before = points.at(-2)
  const [start] = points
  if (end === undefined || before === undefined || start === undefined) return ''
  const [dx, dy] = [Math.sign(end.x - before.x), Math.sign(end.y - before.y)]
  const stop = { x: end.x - dx * 7, y: end.y - dy * 7 }
  const all = [...points.slice(0, -1), stop]
  let d = `M${tenths(start.x)} ${tenths(start.y)}`
  all.slice(1).forEach((to, i) => {
    const from = all[i] ?? to
    const next = all[i + 2]
    d += next === undefined ? `L${tenths(to.x)} ${tenths(to.y)}` : turn(from, to, next)
  })
  const [px, py] = [-dy * 4.5, dx * 4.5]
  const tip = `M${tenths(end.x)} ${tenths(end.y)}L${tenths(end.x - dx * 9 + px)} ${tenths(end.y - dy * 9 + py)}L${tenths(end.x - dx * 9 - px)} ${tenths(end.y - dy * 9 - py)}Z`
  return `<path class="line" d="${d}"/><path class="tip" d="${tip}"/>`
}

function turn(from: Point, at: Point, to: Point): string {
  const radius = Math.min(8, distance(from, at) / 2, distance(at, to) / 2)
  const toward = (other: Point): string => {
    const [x, y] = [at.x + Math.sign(other.x - at.x) * radius, at.y + Math.sign(other.y - at.y) * radius]
    return `${tenths(x)} ${tenths(y)}`
  }
  return `L${toward(from)}Q${tenths(at.x)} ${tenths(at.y)} ${toward(to)}`
}

function distance(a: Point, b: Point): number {
  return Math.abs(a.x - b.x) + Math.abs(a.y - b.y)
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for XML: it contains no markup and no character that XML forbids. */
export function escaped(text: string): string {
  return printable(text)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '')
}

/** Returns a length in SVG, rounded to tenths. */
export function tenths(value: number): string {
  return String(Math.round(value * 10) / 10)
}
