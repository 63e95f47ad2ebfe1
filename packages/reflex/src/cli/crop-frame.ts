import { countCells } from '../text/index.ts'

const FRAME_LINE = /^( *(?:\d+ *)?│ ?)(.*)$/s

/**
 * Returns a code frame for a narrow terminal. It cuts all lines at the same columns, so that the carets stay under
 * their text. The frames of a file that is read are 80 cells wide.
 */
export function cropFrame(frame: string | undefined, columns: number): string | undefined {
  if (frame === undefined) return undefined
  const rows = frame.split('\n').map((row) => FRAME_LINE.exec(row))
  const parts = rows.flatMap((row) => (row === null ? [] : [{ lead: row[1] ?? '', text: row[2] ?? '' }]))
  const [source, carets] = parts
  if (parts.length !== rows.length || source === undefined || carets === undefined) return frame
  const room = columns - 1 - source.lead.length
  if (parts.every(({ text }) => countCells(text) <= room)) return frame
  const begin = carets.text.search(/\^/)
  const from = Math.max(0, Math.min(begin - 8, countCells(source.text) - room + 1))
  return parts.flatMap(({ lead, text }, i) => (i === 0 ? [`${lead}${cut(text, from, room)}`] : below(lead, text, from, room))).join('\n')
}

function cut(text: string, from: number, room: number): string {
  const chars = Array.from(text)
  const shown = chars.slice(from, from + room)
  if (from > 0) shown[0] = '…'
  if (chars.length > from + room) shown[shown.length - 1] = '…'
  return shown.join('')
}

/** Keeps carets under their place; a note that does not fit behind them goes on the next line, from the margin. */
function below(lead: string, text: string, from: number, room: number): string[] {
  const [, blank = '', carets = '', note = ''] = /^( *)(\^*) ?(.*)$/s.exec(text) ?? []
  const indent = ' '.repeat(Math.max(0, blank.length - from))
  const marks = carets === '' ? '' : `${indent}${carets.slice(0, Math.max(1, room - indent.length))}`
  if (note === '') return [`${lead}${marks}`]
  if (carets !== '' && countCells(marks) + 1 + countCells(note) <= room) return [`${lead}${marks} ${note}`]
  const start = ' '.repeat(Math.max(0, Math.min(indent.length, room - countCells(note))))
  return [...(marks === '' ? [] : [`${lead}${marks}`]), `${lead}${start}${note}`]
}
