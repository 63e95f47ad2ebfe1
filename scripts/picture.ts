/**
 * Draws a terminal's screen as SVG, dark and light: `tmux capture-pane -e -p | node scripts/picture.ts docs/picture`.
 * The screen of the README is a real run of example 01, 80 columns wide.
 */
import { readFileSync, writeFileSync } from 'node:fs'

interface Theme {
  readonly paper: string
  readonly ink: string
  readonly dim: string
  readonly colours: Readonly<Record<number, string>>
}

const THEMES: Readonly<Record<'dark' | 'light', Theme>> = {
  dark: {
    paper: '#14181d',
    ink: '#d7dde3',
    dim: '#7d8791',
    colours: { 1: '#ff7b72', 2: '#7ee08a', 3: '#e8c66a', 4: '#7ab7ff', 5: '#d2a8ff', 6: '#6ad7e5' },
  },
  light: {
    paper: '#fbfbf9',
    ink: '#24292f',
    dim: '#767f88',
    colours: { 1: '#b42318', 2: '#17762c', 3: '#8a6100', 4: '#0b5cad', 5: '#7a3fb0', 6: '#0b7285' },
  },
}

const CELL = { width: 8.4, height: 19 }
const MARGIN = 18

/** Every character that we draw is one cell wide. */
const cells = (text: string): number => Array.from(text).length

interface Style {
  colour: number | undefined
  bold: boolean
  dim: boolean
}

interface Span extends Style {
  readonly text: string
  readonly column: number
}

/** The runs of equal style in a line with colour codes. */
export function spansOf(line: string): Span[] {
  const spans: Span[] = []
  const style: Style = { colour: undefined, bold: false, dim: false }
  let column = 0
  for (const part of line.split(/(\x1b\[[0-9;]*m)/)) {
    if (part.startsWith('\x1b[')) for (const code of part.slice(2, -1).split(';')) applyCode(style, Number(code || 0))
    else if (part !== '') {
      spans.push({ ...style, text: part, column })
      column += cells(part)
    }
  }
  return spans
}

function applyCode(style: Style, code: number): void {
  if (code === 0) Object.assign(style, { colour: undefined, bold: false, dim: false })
  else if (code === 1) style.bold = true
  else if (code === 2) style.dim = true
  else if (code === 22) Object.assign(style, { bold: false, dim: false })
  else if (code === 39) style.colour = undefined
  else if (code >= 30 && code <= 37) style.colour = code - 30
  else if (code >= 90 && code <= 97) style.colour = code - 90
}

/** A screen as one SVG. */
export function pictureOf(screen: string, theme: Theme, columns = 80): string {
  const lines = screen.replace(/\s+$/, '').split('\n')
  const width = Math.round(columns * CELL.width + 2 * MARGIN)
  const height = lines.length * CELL.height + 2 * MARGIN
  const texts = lines.flatMap((line, row) =>
    spansOf(line)
      .filter(({ text }) => text.trim() !== '')
      .map((span) => spanText(span, row, theme)),
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<rect width="${width}" height="${height}" rx="8" fill="${theme.paper}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">`,
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

function spanText({ text, column, colour, bold, dim }: Span, row: number, theme: Theme): string {
  const lead = text.length - text.trimStart().length
  const shown = text.trim()
  const x = (MARGIN + (column + lead) * CELL.width).toFixed(1)
  const y = MARGIN + row * CELL.height + 14
  const fill = colour === undefined ? (dim ? theme.dim : theme.ink) : (theme.colours[colour] ?? theme.ink)
  const escaped = shown.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  // A length for every run: fonts differ, and columns must not.
  return `<text x="${x}" y="${y}" fill="${fill}" textLength="${(cells(shown) * CELL.width).toFixed(1)}"${bold ? ' font-weight="600"' : ''}>${escaped}</text>`
}

if (import.meta.main) {
  const [target = 'picture'] = process.argv.slice(2)
  const screen = readFileSync(0, 'utf8')
  for (const name of ['dark', 'light'] as const) writeFileSync(`${target}-${name}.svg`, pictureOf(screen, THEMES[name]))
}
