import { plainJson } from '../protocol/plain.ts'
import { type FaultData, faultData, type JsonObject } from '../kernel/index.ts'
import type { Replayed } from '../app/replaying.ts'
import type { ReplayDifference, ReplaySide } from '../app/replaying-difference.ts'
import { partsText } from '../history/record-text.ts'
import type { Console } from './console.ts'
import { cropFrame } from './crop-frame.ts'
import { layoutText } from './layout.ts'

/**
 * Returns the lines of a differing record: both sides, the parts that differ, and the place in the program. `other` is
 * the label of the new decision; `indent` is the number of cells before each line.
 */
export function differenceLines(
  console: Console,
  { parts, at, recorded, decided, fault }: ReplayDifference,
  other: string,
  indent = 2,
): string[] {
  const where = at === '' ? '' : `, at ${at}`
  return [
    ...line(console, 'recorded', sideText(recorded), indent),
    ...line(console, other, sideText(decided), indent),
    ...(decided.possible ? line(console, 'differs', `in ${partsText(parts)}${where}`, indent) : []),
    ...placeLines(console, fault),
  ]
}

function line({ out }: Console, label: string, text: string, indent = 2): string[] {
  const name = label.padEnd('recorded'.length)
  const before = ' '.repeat(indent)
  return layoutText({ lead: `${before}${name}`, painted: `${before}${out.paint('dim', name)}`, text, column: indent + 11 }, out)
}

function sideText({ says, open }: ReplaySide): string {
  return open === undefined ? says : `${says}   open: ${open.length === 0 ? 'none' : open.join(', ')}`
}

/** Returns `refund.workflow.json:41:42` and its code frame; without a file, the path in the program. */
export function placeLines(console: Console, fault: FaultData): string[] {
  const { out } = console
  const { file, line: row, column = 1, frame, path } = fault
  if (file === undefined) return path === undefined ? [] : line(console, 'at', path)
  const place = `${console.nearPath(file)}${row === undefined ? '' : `:${row}:${column}`}`
  return [out.text(place), ...(cropFrame(frame, out.columns)?.split('\n') ?? []).map((text) => out.text(text))]
}

/** Returns the result of a replay as a document. */
export function replayedDocument({
  row,
  segment,
  replayable,
  result,
  records,
  equal,
  noted,
  decisions,
  snapshots,
  difference,
  fault,
}: Replayed): JsonObject {
  return plainJson({
    run: row.id,
    segment,
    replayable,
    result,
    records,
    equal,
    noted,
    decisions,
    effects: 0,
    snapshots,
    difference: difference === undefined ? undefined : differenceDocument(difference),
    error: fault === undefined ? undefined : faultData(fault),
  })
}

function differenceDocument({ record, path, parts, at, recorded, decided }: ReplayDifference): object {
  const side = ({ says, open }: ReplaySide): object => ({ says, open })
  return { record, path, at, recorded: side(recorded), decided: side(decided), parts }
}
