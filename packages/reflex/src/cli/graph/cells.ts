import { countCells } from '../../text/index.ts'
import type { Look, Paint } from '../look.ts'

/** The weight of a line: `thick` for an edge that was taken, `dotted` for an edge that was closed. */
export type Weight = 'thin' | 'thick' | 'dotted'

interface Cell {
  text: string
  paint: Paint | undefined
  /** The lines that leave the cell: up, right, down, left; 0 none, 1 thin, 2 thick. */
  readonly sides: [number, number, number, number]
  dotted: boolean
}

/** Characters by the lines that leave a cell: up, right, down, left. Corners of thin lines are round. */
const GLYPHS: Readonly<Record<string, string>> = {
  '1010': '│',
  '1000': '│',
  '0010': '│',
  '0101': '─',
  '0100': '─',
  '0001': '─',
  '0110': '╭',
  '0011': '╮',
  '1100': '╰',
  '1001': '╯',
  '1110': '├',
  '1011': '┤',
  '0111': '┬',
  '1101': '┴',
  '1111': '┼',
  '2020': '┃',
  '2000': '┃',
  '0020': '┃',
  '0202': '━',
  '0200': '━',
  '0002': '━',
  '0220': '┏',
  '0022': '┓',
  '2200': '┗',
  '2002': '┛',
  '2220': '┣',
  '2022': '┫',
  '0222': '┳',
  '2202': '┻',
  '2222': '╋',
  // One line crosses another, or starts at the border of a box.
  '2121': '╂',
  '1212': '┿',
  '0121': '┰',
  '0212': '┯',
}

/** A field of terminal cells to draw on: text, and lines that join where they meet. */
export class Cells {
  readonly #rows: Cell[][]

  constructor(width: number, height: number) {
    this.#rows = Array.from({ length: height }, () =>
      Array.from({ length: width }, (): Cell => ({ text: '', paint: undefined, sides: [0, 0, 0, 0], dotted: false })),
    )
  }

  /** Draws a line along an axis, both ends included. */
  line(fromX: number, fromY: number, toX: number, toY: number, weight: Weight, paint: Paint | undefined): void {
    const [dx, dy] = [Math.sign(toX - fromX), Math.sign(toY - fromY)]
    const [ahead, behind] = dx > 0 ? [1, 3] : dx < 0 ? [3, 1] : dy > 0 ? [2, 0] : [0, 2]
    const steps = Math.max(Math.abs(toX - fromX), Math.abs(toY - fromY))
    for (let i = 0; i <= steps; i++) {
      const cell = this.#rows[fromY + dy * i]?.[fromX + dx * i]
      if (cell === undefined) continue
      const strength = weight === 'thick' ? 2 : 1
      if (i < steps) cell.sides[ahead] = Math.max(cell.sides[ahead] ?? 0, strength)
      if (i > 0) cell.sides[behind] = Math.max(cell.sides[behind] ?? 0, strength)
      cell.dotted = weight === 'dotted'
      if (paint !== undefined) cell.paint = paint
    }
  }

  /** Writes text over the content of the cells. */
  write(x: number, y: number, text: string, paint: Paint | undefined): void {
    const row = this.#rows[y]
    let at = x
    for (const char of text) {
      const wide = countCells(char)
      const cell = row?.[wide === 0 ? at - 1 : at]
      if (cell !== undefined) {
        cell.text = wide === 0 ? cell.text + char : char
        cell.paint = paint
      }
      at += wide
      // A wide character also occupies the second cell.
      if (wide === 2 && row?.[at - 1] !== undefined) Object.assign(row[at - 1] as Cell, { text: '\0', paint })
    }
  }

  /** Returns the field as lines, without trailing blanks. */
  lines(look: Look): string[] {
    return this.#rows.map((row) => {
      let line = ''
      let run = ''
      let paint: Paint | undefined
      const flush = (): void => {
        line += paint === undefined ? run : look.paint(paint, run)
        run = ''
      }
      const end = row.findLastIndex((cell) => glyphOf(cell) !== ' ') + 1
      for (const cell of row.slice(0, end)) {
        if (cell.paint !== paint) flush()
        paint = cell.paint
        run += glyphOf(cell)
      }
      flush()
      return line
    })
  }
}

function glyphOf({ text, sides, dotted }: Cell): string {
  if (text !== '') return text === '\0' ? '' : text
  const key = sides.join('')
  if (key === '0000') return ' '
  if (dotted && (key === '1010' || key === '0101')) return key === '1010' ? '╎' : '╌'
  return GLYPHS[key] ?? GLYPHS[key.replaceAll('1', '2')] ?? '┼'
}
