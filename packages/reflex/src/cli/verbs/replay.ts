import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CaptureReplay } from '../../programs/run-captures.ts'
import { plainJson, count, counted } from '../../protocol/plain.ts'
import { faults } from '../../runs/faults.ts'
import { faultData } from '../../kernel/index.ts'
import type { Replayed } from '../../app/replaying.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { factLine, paragraph } from '../layout.ts'
import type { CommonFlags } from '../options.ts'
import { kindOptions } from '../start-options.ts'
import { differenceLines, replayedDocument } from '../replay-difference.ts'
import type { Session } from '../session.ts'
import { duration } from '../units.ts'

export interface ReplayFlags extends CommonFlags {
  /** A file whose program replaces the program of the run. */
  readonly against?: string
  readonly kind?: string
  readonly segment?: string
  /** True after `--strict`: the capture of the run is replayed, too. */
  readonly strict?: boolean
  /** True after `--all`: every difference of a capture. */
  readonly all?: boolean
  readonly tools?: readonly string[]
  /** True after `--what-if`: the gate of skills decides again, with something otherwise. */
  readonly whatIf?: boolean
  /** `what-if` is another word for `--what-if`. */
  readonly mode?: string
  readonly tau?: string
  readonly policyMode?: string
}

/**
 * `reflex replay RUN`: makes every decision again, and compares it with the journal. With `--strict`, or for a file, a capture is replayed:
 * every event, decision and effect.
 */
export async function replay(session: Session, ref: string, flags: ReplayFlags): Promise<number> {
  const { console, reflex } = session
  await reflex.useTools(flags.tools ?? [])
  const { all, against } = flags
  if (isWhatIf(flags)) return (await import('../learning/what-if.ts')).replayWhatIf(session, ref, flags)
  if (isFile(resolve(console.world.surroundings.cwd, ref)))
    return printStrict(console, ref, await reflex.replayCapture({ file: ref }, { all, against, ...kindOptions({ ...flags }, 'replay') }))
  if (flags.strict === true) return replayStrictly(session, ref, flags)
  if (all === true) throw faults.make('R2031', '--all has no effect on a replay that is not strict', { fix: 'add --strict' })
  return printReplayed(console, await replayJournal(session, ref, flags), against !== undefined)
}

/** Throws `R2031` for another mode, and for an option without the replay that it is for. */
function isWhatIf({ whatIf, mode, tau, policyMode }: ReplayFlags): boolean {
  if (mode !== undefined && mode !== 'what-if' && mode !== 'pinned')
    throw faults.make('R2031', `--mode ${JSON.stringify(mode)} is not pinned or what-if`, { fix: 'write --mode what-if' })
  const isAsked = whatIf === true || mode === 'what-if'
  if (!isAsked && (tau !== undefined || policyMode !== undefined))
    throw faults.make('R2031', `--${tau === undefined ? 'policy-mode' : 'tau'} has no effect on this replay`, { fix: 'add --what-if' })
  return isAsked
}

/** Replays the journal of a run, and then its capture. With another program only the capture. */
async function replayStrictly(session: Session, ref: string, flags: ReplayFlags): Promise<number> {
  const { console, reflex } = session
  const { all, against } = flags
  const replayed = against === undefined ? await replayJournal(session, ref, flags) : undefined
  if (replayed !== undefined && replayed.replayed.result !== 'equal') return printReplayed(console, replayed, false)
  return printStrict(console, ref, await reflex.replayCapture({ run: ref }, { all, against, ...kindOptions({ ...flags }, 'replay') }))
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** Prints the result of a strict replay, and every difference. */
function printStrict(console: Console, what: string, { findings, events, verified }: CaptureReplay): number {
  const [first] = findings
  if (console.shape !== 'text') {
    console.document(
      plainJson({
        v: 1,
        what,
        result: first === undefined ? 'equal' : 'differs',
        events,
        effects: verified,
        findings: findings.map((found) => faultData(found)),
      }),
    )
  } else if (first === undefined) {
    const { out } = console
    const name = out.text(what)
    console.print(
      factLine(
        name,
        out.paint('bold', name),
        [`${counted(events, 'event')} equal`, `${counted(verified, 'effect')} derived again, 0 sent`],
        out,
      ),
    )
  } else for (const found of findings) console.print(console.fault(found, console.out))
  return first === undefined ? EXIT.done : EXIT.no
}

interface TimedReplay {
  readonly replayed: Replayed
  /** Milliseconds. */
  readonly took: number
}

async function replayJournal({ console, reflex }: Session, ref: string, { against, kind, segment }: ReplayFlags): Promise<TimedReplay> {
  const began = console.now
  const replayed = await reflex.replay(ref, {
    ...(against === undefined ? {} : { against }),
    ...(kind === undefined ? {} : { kind }),
    ...(segment === undefined ? {} : { segment: numberOf(segment) }),
  })
  return { replayed, took: console.now - began }
}

function printReplayed(console: Console, { replayed, took }: TimedReplay, isChanged: boolean): number {
  if (console.shape !== 'text') console.document(plainJson({ v: 1, ...replayedDocument(replayed) }))
  else if (replayed.result === 'equal') console.print(equalLines(console, replayed, took))
  else console.print(differingLines(console, replayed, isChanged))
  return replayed.result === 'equal' ? EXIT.done : EXIT.no
}

function numberOf(segment: string): number {
  if (/^[1-9]\d{0,14}$/.test(segment)) return Number(segment)
  throw faults.make('R2031', `--segment ${JSON.stringify(segment)} is not the number of a segment`, { fix: 'write a whole number from 1' })
}

function equalLines({ out }: Console, replayed: Replayed, took: number): string[] {
  const { row, segment, records, equal, decisions, snapshots, replayable } = replayed
  const facts = [
    ...(replayable === undefined ? [] : ['replays decisions: texts were not kept']),
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
