import { faultData, type JsonObject } from '../../kernel/index.ts'
import type { CheckedRun, CheckOutcome, Check, RefusedFile } from '../../app/replaying-check.ts'
import type { Console } from '../console.ts'
import { plain, programDocument } from '../run-document.ts'
import { EXIT } from '../exit.ts'
import { factLine, layoutRow, tabbed, way } from '../layout.ts'
import type { Mark } from '../look.ts'
import type { CommonFlags } from '../options.ts'
import { differenceLines, placeLines, replayedDocument } from '../replay-difference.ts'
import type { Session } from '../session.ts'
import { programName } from '../telling.ts'
import { count, counted } from '../units.ts'

export interface CheckFlags extends CommonFlags {
  readonly kind?: string
  readonly tools?: readonly string[]
}

const MARKS: Readonly<Record<CheckOutcome, Mark>> = {
  equal: 'done',
  noted: 'done',
  unchanged: 'done',
  breaks: 'failed',
  apart: 'skipped',
  unknown: 'warns',
}

/** A program names a tool that is not known here. */
const NO_TOOL = 'R4100'

/** `reflex check [FILE…]`: whether the unfinished runs would go on as recorded on programs as they are now. */
export async function check(session: Session, files: readonly string[], { kind, tools = [] }: CheckFlags): Promise<number> {
  const { console, reflex } = session
  await reflex.useTools(tools)
  const checking = await reflex.check(files, kind)
  const tally = new Map<CheckOutcome, number>()
  const report = reportTo(console)
  for (const { file, fault } of checking.refused) report.refused({ file, fault })
  for await (const run of checking.runs()) {
    tally.set(run.outcome, (tally.get(run.outcome) ?? 0) + 1)
    report.run(run)
  }
  report.end(checking, tally)
  const wrong = checking.refused.length + (tally.get('breaks') ?? 0) + (tally.get('unknown') ?? 0)
  return wrong === 0 ? EXIT.done : EXIT.no
}

type Tally = ReadonlyMap<CheckOutcome, number>

/** Where what was found goes: to a terminal, a pipe, or a machine. */
interface Report {
  refused(file: RefusedFile): void
  run(run: CheckedRun): void
  end(checking: Check, tally: Tally): void
}

function reportTo(console: Console): Report {
  if (console.shape === 'json') return documents(console)
  if (console.shape === 'jsonl') return objects(console)
  return console.out.terminal ? screen(console) : pipe(console)
}

function documents(console: Console): Report {
  const runs: JsonObject[] = []
  const refused: JsonObject[] = []
  return {
    refused: (file) => void refused.push(refusedDocument(file)),
    run: (run) => void runs.push(runDocument(run)),
    end: (checking, tally) =>
      console.document(plain({ v: 1, runs, refused, unused: checking.unused, open: sum(tally), breaks: tally.get('breaks') ?? 0 })),
  }
}

function objects(console: Console): Report {
  return {
    refused: (file) => console.document(plain({ v: 1, ...refusedDocument(file) })),
    run: (run) => console.document(plain({ v: 1, ...runDocument(run) })),
    end: () => undefined,
  }
}

function refusedDocument({ file, fault }: RefusedFile): JsonObject {
  return plain({ file, error: faultData(fault) })
}

function runDocument({ row, outcome, programs, replayed, fault }: CheckedRun): JsonObject {
  return plain({
    run: row.id,
    program: programDocument(row.program),
    outcome,
    programs,
    replay: replayed === undefined ? undefined : replayedDocument(replayed),
    error: fault === undefined ? undefined : faultData(fault),
  })
}

function pipe(console: Console): Report {
  return {
    refused: ({ fault }) => console.tell(console.fault(faultData(fault))),
    run(run) {
      const { row, outcome, replayed, fault } = run
      const found = fault ?? replayed?.fault
      const place = found?.file === undefined ? '' : `${found.file}:${found.line ?? 1}:${found.column ?? 1}`
      const record = replayed?.difference === undefined ? '' : String(replayed.difference.record)
      console.world.out.write(tabbed([[row.id, programName(row.program[0]), outcome, record, place, wordsOf(run)]]))
    },
    end: (checking) => tellUnused(console, checking),
  }
}

function screen(console: Console): Report {
  const { out } = console
  /** Runs that break where another one did are told by its name. */
  const places = new Map<string, string>()
  let look: readonly string[] | undefined
  /** Modules without which some runs cannot be told: nothing that a journal names is imported unasked. */
  const lacking = new Set<string>()
  return {
    refused: ({ fault }) => console.print(console.fault(faultData(fault), out)),
    run(run) {
      const { row, outcome, replayed } = run
      const quiet = outcome !== 'breaks' && outcome !== 'unknown' && outcome !== 'noted'
      if (quiet && console.flags.verbose !== true) return
      const text = `${programName(row.program[0])}@${row.program[3].slice(0, 6)}  ${wordsOf(run)}`
      console.print(layoutRow({ depth: 0, mark: MARKS[outcome], node: row.id, text }, out))
      if (run.fault?.code === NO_TOOL) for (const tool of run.tools ?? []) lacking.add(console.near(tool))
      const { difference } = replayed ?? {}
      if (difference === undefined || outcome !== 'breaks') return
      const place = placeLines(console, difference.fault).join('\n') + difference.decided.says
      const known = places.get(place)
      look ??= ['replay', row.id, ...(run.file === undefined ? [] : ['--against', console.near(run.file)])]
      places.set(place, known ?? row.id)
      console.print(known === undefined ? differenceLines(console, difference, 'changed', 4) : [`    as ${out.text(known)}`])
    },
    end(checking, tally) {
      tellUnused(console, checking)
      console.print(summary(console, tally))
      if (look !== undefined) console.print([way(out, 'look', console.command(...look))])
      if (lacking.size > 0)
        console.print([way(out, 'again', console.command('check', ...[...lacking].flatMap((tool) => ['--tools', tool])))])
    },
  }
}

function tellUnused(console: Console, { unused }: Check): void {
  for (const file of unused) console.tell([`no open run uses ${console.err.text(console.near(file))}`])
}

function wordsOf({ outcome, replayed, fault }: CheckedRun): string {
  const equal = counted(replayed?.equal ?? 0, 'record')
  switch (outcome) {
    case 'equal':
      return `${equal} equal`
    case 'noted':
      return `goes on as recorded; ${counted(replayed?.noted ?? 0, 'record')} would note other ways`
    case 'breaks':
      return `${equal} equal, record ${replayed?.difference?.record ?? 0} differs`
    case 'unchanged':
      return 'holds these programs'
    case 'apart':
      return 'uses none of these programs'
    case 'unknown':
    default:
      return `${fault?.code ?? ''} ${fault?.message ?? ''}`
  }
}

/** `2 of 12 open runs would break · 9 go on as recorded · 1 uses none of these programs`. */
function summary({ out }: Console, tally: Tally): string[] {
  const of = (...outcomes: readonly CheckOutcome[]): number => outcomes.reduce((all, outcome) => all + (tally.get(outcome) ?? 0), 0)
  const [all, breaks, unknown, good, apart] = [sum(tally), of('breaks'), of('unknown'), of('equal', 'noted', 'unchanged'), of('apart')]
  if (all === 0) return ['no open runs']
  const lead = `${count(breaks)} of ${counted(all, 'open run')} would break`
  const painted = breaks > 0 ? out.paint('red', lead) : lead
  const facts = [
    ...(good === 0 ? [] : [`${count(good)} ${good === 1 ? 'goes' : 'go'} on as recorded`]),
    ...(apart === 0 ? [] : [`${count(apart)} ${apart === 1 ? 'uses' : 'use'} none of these programs`]),
    ...(unknown === 0 ? [] : [`${count(unknown)} cannot be told`]),
  ]
  return factLine(lead, painted, facts, out)
}

function sum(tally: Tally): number {
  return [...tally.values()].reduce((all, some) => all + some, 0)
}
