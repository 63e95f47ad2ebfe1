import { diffDocument } from '../../protocol/view-document.ts'
import type { RunDifference, ComparedRun, Comparison } from '../../history/comparing.ts'
import type { Json } from '../../kernel/index.ts'
import { shortJson, countCells, lineDiff } from '../../text/index.ts'
import type { Console } from '../console.ts'
import { faults } from '../../runs/faults.ts'
import { jsonText } from '../escape.ts'
import { EXIT } from '../exit.ts'
import { alignTexts } from '../fit-value.ts'
import { factLine, paragraph, table, tabSeparated, commandHint } from '../layout.ts'
import type { CommonFlags } from '../options.ts'
import { kindOptions } from '../start-options.ts'
import { replay } from './replay.ts'
import type { Session } from '../session.ts'
import { counted, plainJson } from '../../protocol/plain.ts'

export interface DiffFlags extends CommonFlags {
  readonly text?: boolean
  readonly replay?: boolean
  /** The file after `--events`: two programs are compared over it. */
  readonly events?: string
}

/** `reflex diff A[@N] B[@M]`: prints the differences between two runs, two records of one run, or a run and its replay. */
export async function diff(session: Session, [one = '', other]: readonly string[], flags: DiffFlags): Promise<number> {
  const { console, reflex } = session
  if (flags.replay === true) {
    if (other === undefined) return replay(session, one, {})
    throw faults.make('R2031', '--replay compares one run with its replay', { fix: `reflex diff ${one} --replay` })
  }
  if (other === undefined)
    throw faults.make('R2031', 'diff needs two runs', { fix: `reflex diff ${one} RUN, or reflex diff ${one} --replay` })
  if (flags.events !== undefined) return diffOver(session, one, other, { ...flags, events: flags.events })
  const found = await reflex.diff(one, other)
  if (console.shape !== 'text') console.document(diffDocument(found))
  else if (console.out.terminal || flags.text === true) console.print(lines(console, found, flags.text === true))
  else console.world.out.write(tabSeparated(found.differences.map(({ what, name, one: a, other: b }) => [what, name, text(a), text(b)])))
  return found.differences.length === 0 ? EXIT.done : EXIT.no
}

/** `reflex diff PROGRAM OTHER --events FILE`: lists the events at which two versions of a program differ. */
async function diffOver(
  { console, reflex }: Session,
  one: string,
  other: string,
  flags: DiffFlags & { readonly events: string },
): Promise<number> {
  const { events, differences } = await reflex.diffOver(one, other, flags.events, kindOptions({ ...flags }, 'diff'))
  if (console.shape !== 'text') console.document(plainJson({ v: 1, one, other, events, differences }))
  else if (console.out.terminal && differences.length === 0)
    console.print(factLine('equal', 'equal', [counted(events, 'event')], console.out))
  else
    console.world.out.write(
      tabSeparated(differences.map(({ event, line, name, one: a, other: b }) => [String(line), event, name, text(a), text(b)])),
    )
  return differences.length === 0 ? EXIT.done : EXIT.no
}

function text(found: Json | undefined): string {
  return found === undefined ? '' : jsonText(found)
}

function lines(console: Console, { one, other, equal, differences }: Comparison, withTexts: boolean): string[] {
  const { out } = console
  const name = ({ run, at, last }: ComparedRun): string => (at === last ? run : `${run}@${at}`)
  if (differences.length === 0) {
    const lead = `${name(one)}  ${name(other)}`
    return factLine(
      out.text(lead),
      out.paint('bold', out.text(lead)),
      [`${counted(equal, 'record')} equal, and no difference after them`],
      out,
    )
  }
  const since = equal === 0 ? 'no record in common' : `equal to @${equal}, then`
  // A value that is cut is followed by its size.
  const widest = Math.max(...differences.map(({ name: of }) => countCells(of)), countCells(since) - 2)
  const room = Math.max(10, Math.floor((out.room - widest - 6) / 2) - 8)
  const rows = differences.map((part) => [`  ${part.name}`, ...sides(part, room)])
  // A table that becomes blocks of lines has no head.
  const heading = out.isNarrow ? paragraph(since, out) : []
  const texts = differences.filter(hasLines)
  return [
    ...heading,
    ...table([since, name(one), name(other)], rows, out),
    ...(withTexts ? texts.flatMap((part) => textLines(console, part)) : []),
    ...(withTexts || !texts.some((part) => isLonger(part, room))
      ? []
      : [commandHint(out, 'lines', console.command('diff', name(one), name(other), '--text'))]),
  ]
}

/**
 * Returns both sides of a difference. Two texts are shown without quotes; otherwise a text has quotes, so that `"1"`
 * differs from 1, and an empty text is visible.
 */
function sides({ one, other }: RunDifference, room: number): readonly [string, string] {
  if (one === undefined || other === undefined) return [singleSide(one, room), singleSide(other, room)]
  const areTexts = typeof one === 'string' && typeof other === 'string' && one !== '' && other !== ''
  return areTexts ? alignTexts(one, other, room) : alignTexts(jsonText(one), jsonText(other), room)
}

function singleSide(found: Json | undefined, room: number): string {
  if (found === undefined) return '–'
  return typeof found === 'string' && found !== '' && found.length <= room ? found : shortJson(found, room)
}

/** True if both sides are texts that are long enough to be compared line by line. */
function hasLines({ one, other }: RunDifference): boolean {
  return typeof one === 'string' && typeof other === 'string' && (one + other).length >= 40
}

function isLonger({ one, other }: RunDifference, room: number): boolean {
  return [one, other].some((text) => typeof text === 'string' && text.length > room)
}

/** Returns both texts line by line, as `diff` shows them. */
function textLines({ out }: Console, { name, one, other }: RunDifference): string[] {
  if (typeof one !== 'string' || typeof other !== 'string') return []
  const line = { both: [' ', 'dim'], one: ['-', 'red'], other: ['+', 'green'] } as const
  return [
    '',
    out.paint('bold', out.text(name)),
    ...lineDiff(one, other).map(({ in: where, text: said }) => out.paint(line[where][1], `${line[where][0]} ${out.text(said)}`)),
  ]
}
