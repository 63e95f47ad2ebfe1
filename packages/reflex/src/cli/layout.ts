import { countCells, printable } from '../text/index.ts'
import type { Look } from './look.ts'
import type { Mark } from '../pictures/mark.ts'

/** A line of a tree: mark, node, event, and facts at the right (experience 1.3). */
export interface Row {
  readonly depth: number
  readonly mark: Mark
  readonly node: string
  readonly text?: string | undefined
  /** The facts at the right margin. */
  readonly facts?: readonly string[] | undefined
  /** Further lines below the text. */
  readonly more?: readonly string[] | undefined
  /** Nodes beside the first, with the same mark; the line shows as many as fit. */
  readonly nextNodes?: readonly string[] | undefined
  /** The column where the text begins, if it is not the usual one. */
  readonly column?: number
}

/** The column where text begins, unless a node's name is longer. */
const TEXT_COLUMN = 18
/** The right edge of facts in a wide terminal. */
const FACTS_EDGE = 79

/** Returns the column where facts end. */
export function factsEdge(look: Look): number {
  return Math.min(look.room, FACTS_EDGE)
}

/**
 * Returns a row as lines. Nodes are never cut; text is wrapped with a hanging indent; facts get their own line in a
 * narrow terminal.
 */
export function layoutRow(row: Row, look: Look): string[] {
  const mark = look.mark(row.mark)
  let lead = `${'  '.repeat(row.depth + 1)}${mark} ${look.text(row.node)}`
  let painted = `${'  '.repeat(row.depth + 1)}${look.paintMark(row.mark, mark)} ${look.text(row.node)}`
  for (const node of row.nextNodes ?? []) {
    const longer = `${lead}  ${mark} ${look.text(node)}`
    if (countCells(longer) > look.room) break
    lead = longer
    painted += `  ${look.paintMark(row.mark, mark)} ${look.text(node)}`
  }
  return layoutText({ ...row, lead, painted }, look)
}

/** The beginning of a line, before its text, with and without colour. */
export interface Lead {
  readonly lead: string
  readonly painted: string
  readonly text?: string | undefined
  readonly facts?: readonly string[] | undefined
  readonly more?: readonly string[] | undefined
  /** The column where the text begins. */
  readonly column?: number
}

export function layoutText(text: Lead, look: Look): string[] {
  return (countCells(text.lead) > look.room ? layoutLongLead(text, look) : layoutLead(text, look)).map((line) =>
    line.replaceAll('\u00a0', ' '),
  )
}

/**
 * Lays out a beginning of several words that does not fit on one line, such as the label of a node: it is wrapped, and
 * everything else stands below it.
 */
function layoutLongLead({ lead, text = '', facts = [], more = [] }: Lead, look: Look): string[] {
  const indent = lead.length - lead.trimStart().length
  const below = [text, ...facts, ...more].filter((part) => part !== '')
  return [...paragraph(lead.trimStart(), look, indent), ...below.flatMap((part) => hangingLines(part, look, indent + 2))]
}

function layoutLead({ lead, painted, text = '', facts = [], more = [], column: wanted = TEXT_COLUMN }: Lead, look: Look): string[] {
  const begin = countCells(lead)
  const hang = look.isNarrow ? Math.min(begin + 2, Math.floor(look.columns / 3)) : Math.max(wanted, 8)
  const column = look.isNarrow ? begin + 2 : Math.max(begin + 2, wanted)
  const [first = '', ...rest] = wrapHanging(look.text(text), look, column, hang)
  const lines = [first === '' ? painted : `${painted}${' '.repeat(column - begin)}${first}`]
  if (first === '' && rest.length === 0) return withFacts(lines, begin, facts, look, hang, more)
  const last = rest.at(-1)
  const width = last === undefined ? column + countCells(first) : hang + countCells(last)
  lines.push(...rest.map((line) => `${' '.repeat(hang)}${line}`))
  return withFacts(lines, width, facts, look, hang, more)
}

function withFacts(lines: string[], width: number, facts: readonly string[], look: Look, hang: number, more: readonly string[]): string[] {
  const all = [...lines]
  const joined = facts.map((fact) => look.text(fact)).join('  ')
  const edge = factsEdge(look)
  if (joined !== '') {
    const gap = edge - width - countCells(joined)
    if (!look.isNarrow && gap >= 2) all.push(`${all.pop() ?? ''}${' '.repeat(gap)}${look.paint('dim', joined)}`)
    else all.push(...look.wrap(joined, look.room - hang).map((line) => `${' '.repeat(hang)}${look.paint('dim', line)}`))
  }
  for (const line of more) all.push(...hangingLines(line, look, hang))
  return all
}

/** Wraps text whose first line has a different width; if the first word does not fit beside the node, it goes below. */
function wrapHanging(text: string, look: Look, column: number, hang: number): string[] {
  if (text === '') return []
  const words = text.split(' ')
  let first = ''
  while (words.length > 0) {
    const longer = first === '' ? (words[0] ?? '') : `${first} ${words[0]}`
    if (column + countCells(longer) > look.room) break
    first = longer
    words.shift()
  }
  return words.length === 0 ? [first] : [first, ...look.wrap(words.join(' '), look.room - hang)]
}

/** Returns text on separate lines, starting at column `hang`. */
export function hangingLines(
  text: string,
  look: Look,
  hang: number,
  paint: (line: string) => string = (line) => look.paint('dim', line),
): string[] {
  return look.wrap(look.text(text), Math.max(12, look.room - hang)).map((line) => `${' '.repeat(hang)}${paint(line)}`)
}

/** Returns a line with the next command. It is never wrapped, so that it can be copied. */
export function commandHint(look: Look, label: string, command: string): string {
  const name = look.isNarrow ? label : label.padEnd(9)
  const beside = 4 + name.length + command.length <= look.room
  return `  ${look.paint('dim', beside ? name : label)}${beside ? '  ' : '\n  '}${command}`
}

/** Returns text at the margin, such as a header; further lines are indented by two. */
export function paragraph(text: string, look: Look, indent = 0): string[] {
  const [first = '', ...rest] = look.wrap(text, look.room - indent)
  const more = rest.length === 0 ? [] : look.wrap(rest.join(' '), look.room - indent - 2)
  return [`${' '.repeat(indent)}${first}`, ...more.map((line) => `${' '.repeat(indent + 2)}${line}`)]
}

/** Returns facts in a row, separated by dots and broken only between facts; `lead` stands before them and is not broken. */
export function factLine(lead: string, painted: string, facts: readonly string[], look: Look): string[] {
  const lines: { text: string; cells: number }[] = [{ text: painted, cells: countCells(lead) }]
  const dot = look.text('·')
  for (const [i, fact] of facts.entries()) {
    const text = look.text(fact)
    const last = lines.at(-1) ?? { text: '', cells: 0 }
    const gap = i === 0 ? '  ' : ` ${dot} `
    const width = last.cells + countCells(gap) + countCells(text)
    if (width <= look.room) lines.splice(-1, 1, { text: `${last.text}${gap}${text}`, cells: width })
    else
      for (const [n, line] of look.wrap(text, look.room - 4).entries())
        lines.push({ text: `${n === 0 ? '  ' : '    '}${line}`, cells: countCells(line) + (n === 0 ? 2 : 4) })
  }
  const [first, ...rest] = lines.map(({ text }) => text)
  return first === '' && rest.length > 0 ? rest : [first ?? '', ...rest]
}

/**
 * Returns the lines of a table; each column is as wide as its widest cell. On narrow terminals each row becomes a block
 * of lines.
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[], look: Look, right: readonly number[] = []): string[] {
  const all = [head, ...rows].map((row) => row.map((cell) => look.text(cell)))
  const widths = head.map((_, i) => Math.max(...all.map((row) => countCells(row[i] ?? ''))))
  const total = widths.reduce((sum, width) => sum + width + 2, -2)
  if (total > look.room) return rows.flatMap((row) => block(head, row, look))
  return all.map((row, n) => {
    const line = row
      .map((cell, i) => pad(cell, widths[i] ?? 0, right.includes(i)))
      .join('  ')
      .trimEnd()
    return n === 0 ? look.paint('dim', line) : line
  })
}

function block(head: readonly string[], row: readonly string[], look: Look): string[] {
  const [name = '', ...facts] = row
  const shown = facts.map((fact, i) => (fact === '' ? '' : `${head[i + 1] ?? ''} ${fact}`)).filter((fact) => fact !== '')
  return factLine(look.text(name), look.paint('bold', look.text(name)), shown, look)
}

function pad(text: string, width: number, right: boolean): string {
  const blank = ' '.repeat(Math.max(0, width - countCells(text)))
  return right ? blank + text : text + blank
}

/** Returns a table for pipes: full values, separated by tabs, safe to show in a terminal. */
export function tabSeparated(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map((cell) => printable(cell.replace(/[\t\n\r]/g, ' '))).join('\t')}\n`).join('')
}
