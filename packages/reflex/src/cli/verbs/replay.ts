import { plainJson, count, counted } from '../../protocol/plain.ts'
import { faults } from '../../runs/faults.ts'
import { faultData } from '../../kernel/index.ts'
import type { Replayed } from '../../app/replaying.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { factLine, paragraph } from '../layout.ts'
import type { CommonFlags } from '../options.ts'
import { differenceLines, replayedDocument } from '../replay-difference.ts'
import type { Session } from '../session.ts'
import { duration } from '../units.ts'

export interface ReplayFlags extends CommonFlags {
  /** A file whose program replaces the program of the run. */
  readonly against?: string
  readonly kind?: string
  readonly segment?: string
  readonly tools?: readonly string[]
}

/** `reflex replay RUN`: makes every decision again, and compares it with the journal. */
export async function replay(
  { console, reflex }: Session,
  ref: string,
  { against, kind, segment, tools = [] }: ReplayFlags,
): Promise<number> {
  await reflex.useTools(tools)
  const began = console.now
  const replayed = await reflex.replay(ref, {
    ...(against === undefined ? {} : { against }),
    ...(kind === undefined ? {} : { kind }),
    ...(segment === undefined ? {} : { segment: numberOf(segment) }),
  })
  const took = console.now - began
  if (console.shape !== 'text') console.document(plainJson({ v: 1, ...replayedDocument(replayed) }))
  else if (replayed.result === 'equal') console.print(equalLines(console, replayed, took))
  else console.print(differingLines(console, replayed, against !== undefined))
  return replayed.result === 'equal' ? EXIT.done : EXIT.no
}

function numberOf(segment: string): number {
  if (/^[1-9]\d{0,14}$/.test(segment)) return Number(segment)
  throw faults.make('R2031', `--segment ${JSON.stringify(segment)} is not the number of a segment`, { fix: 'write a whole number from 1' })
}

function equalLines({ out }: Console, { row, segment, records, equal, decisions, snapshots }: Replayed, took: number): string[] {
  const facts = [
    ...(segment === undefined ? [] : [`segment ${segment}`]),
    `${count(equal)} of ${counted(records, 'record')} equal`,
    `${counted(decisions, 'decision')} made again, 0 effects`,
    ...(snapshots === 0 ? [] : [`${counted(snapshots, 'snapshot')} equal`]),
    duration(took),
  ]
  const id = out.text(row.id)
  return factLine(id, out.paint('bold', id), facts, out)
}

function differingLines(console: Console, replayed: Replayed, changed: boolean): string[] {
  const { out } = console
  const { row, segment, records, equal, noted, difference, fault } = replayed
  const id = out.text(row.id)
  const head = (text: string): string[] =>
    factLine(id, out.paint('bold', id), [...(segment === undefined ? [] : [`segment ${segment}`]), text], out)
  if (difference === undefined)
    return [...head(`${counted(equal, 'record')} equal`), ...(fault === undefined ? [] : console.fault(faultData(fault), out))]
  const found =
    replayed.result === 'noted'
      ? `${count(equal)} of ${counted(records, 'record')} equal, ${noted === 1 ? `record ${difference.record} has` : `${count(noted)} have`} other notes`
      : `${counted(equal + noted, 'record')} equal, record ${difference.record} differs`
  const hash = row.program[3].slice(0, 6)
  const kept = `The stored run keeps its program, ${hash}. To check all open runs: ${console.command('check')}`
  return [
    ...head(found),
    ...differenceLines(console, difference, changed ? 'changed' : 'decided'),
    ...(changed ? paragraph(kept, out) : []),
  ]
}
