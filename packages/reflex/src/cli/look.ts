import type { Mark } from '../pictures/mark.ts'
import { countCells, printable } from '../text/index.ts'
import type { Sink } from './world.ts'

export type Paint = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold'

const MARKS: Readonly<Record<Mark, readonly [utf8: string, ascii: string, paint: Paint | undefined]>> = {
  done: ['✓', 'ok', 'green'],
  failed: ['✗', 'x', 'red'],
  running: ['●', '*', 'cyan'],
  open: ['○', '.', 'dim'],
  skipped: ['–', '-', 'dim'],
  waits: ['‖', '||', 'yellow'],
  asks: ['?', '?', 'yellow'],
  warns: ['!', '!', 'yellow'],
  into: ['▸', '>', undefined],
  out: ['◂', '<', undefined],
  decided: ['◆', '#', 'green'],
  note: ['·', '-', 'dim'],
}

const CODES: Readonly<Record<Paint, readonly [number, number]>> = {
  green: [32, 39],
  red: [31, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  dim: [2, 22],
  bold: [1, 22],
}

/** ASCII replacements for the other characters that the command writes, marks included, for terminals without UTF-8. */
const PLAIN: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.values(MARKS).map(([utf8, ascii]) => [utf8, ascii])),
  '…': '...',
  '→': '->',
  '←': '<-',
  '·': '-',
  '“': '"',
  '”': '"',
  '’': "'",
  '│': '|',
  '›': '>',
  '‹': '<',
  '–': '-',
  '—': '-',
  '−': '-',
  '×': 'x',
  '‖': '||',
  '↑': 'up/',
  '↓': 'down',
  '▏': '_',
}

const DEFAULT_WIDTH = 80
const DEFAULT_HEIGHT = 24
const NARROWEST = 20
/** The most columns that text uses: longer lines are hard to read. */
const WIDEST = 110

export interface Settings {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** False after `--no-color`. */
  readonly colour: boolean
}

/** The appearance of text in one sink: marks, colours, characters, width. */
export class Look {
  readonly terminal: boolean
  readonly colour: boolean
  readonly utf8: boolean
  readonly #sink: Sink
  readonly #columns: number | undefined

  constructor(sink: Sink, { environment, colour }: Settings) {
    this.#sink = sink
    this.terminal = sink.terminal
    this.colour = colour && wantsColour(environment, sink.terminal)
    this.utf8 = speaksUtf8(environment)
    const columns = Number(environment['COLUMNS'])
    this.#columns = Number.isInteger(columns) && columns > 0 ? columns : undefined
  }

  /** The cells of a line. */
  /** The lines that a terminal shows at once. */
  get rows(): number {
    const { rows } = this.#sink
    return rows === undefined || rows === 0 ? DEFAULT_HEIGHT : rows
  }

  get columns(): number {
    const columns = this.#columns ?? this.#sink.columns
    return Math.max(NARROWEST, columns === undefined || columns === 0 ? DEFAULT_WIDTH : columns)
  }

  /** The cells that a line may use. The last column stays free, because terminals wrap there at different times. */
  get room(): number {
    return Math.min(this.columns, WIDEST) - 1
  }

  /** True if the terminal is too narrow for facts at the right. */
  get isNarrow(): boolean {
    return this.columns < 60
  }

  /** Makes text from any source safe, and replaces characters that this terminal cannot show. */
  text(text: string): string {
    const safe = printable(text)
    return this.utf8 ? safe : safe.replace(/[^\0-\u007f\u00a0]/gu, (char) => PLAIN[char] ?? '?')
  }

  mark(mark: Mark): string {
    const [utf8, ascii] = MARKS[mark]
    return this.utf8 ? utf8 : ascii
  }

  paintMark(mark: Mark, text: string): string {
    const [, , paint] = MARKS[mark]
    return paint === undefined ? text : this.paint(paint, text)
  }

  paint(paint: Paint, text: string): string {
    if (!this.colour || text === '') return text
    const [on, off] = CODES[paint]
    return `\u001b[${on}m${text}\u001b[${off}m`
  }

  /** Wraps text at blanks, to lines of at most `room` cells. A single word is never cut. */
  wrap(text: string, room: number): string[] {
    const lines: string[] = []
    let line = ''
    for (const word of text.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`
      if (line !== '' && countCells(longer) > room) {
        lines.push(line)
        line = word
      } else line = longer
    }
    return [...lines, line]
  }
}

function wantsColour(environment: Settings['environment'], terminal: boolean): boolean {
  if ((environment['NO_COLOR'] ?? '') !== '') return false
  const forced = environment['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return terminal
}

/**
 * True if the terminal uses UTF-8: the first locale that is set decides; without one, modern terminals understand
 * UTF-8.
 */
function speaksUtf8(environment: Settings['environment']): boolean {
  const locale = ['LC_ALL', 'LC_CTYPE', 'LANG'].map((name) => environment[name] ?? '').find((value) => value !== '')
  return locale === undefined || /utf-?8/i.test(locale)
}
