import { plainJson, programName, count, counted } from '../../protocol/plain.ts'
import { programDocument } from '../../protocol/documents.ts'
import { faultData, type JsonObject } from '../../kernel/index.ts'
import type { CheckedRun, CheckOutcome, ProgramCheck, RefusedFile } from '../../app/replaying-check.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { factLine, layoutRow, tabSeparated, commandHint } from '../layout.ts'
import type { Mark } from '../../pictures/mark.ts'
import type { CommonFlags } from '../options.ts'
import { differenceLines, placeLines, replayedDocument } from '../replay-difference.ts'
import type { Session } from '../session.ts'

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

/** The fault of a program that names a tool which is not known here. */
const NO_TOOL = 'R4100'

/** `reflex check [FILE…]`: checks that the unfinished runs would continue as recorded on the current programs. */
export async function check(session: Session, files: readonly string[], { kind, tools = [] }: CheckFlags): Promise<number> {
  const { console, reflex } = session
  await reflex.useTools(tools)
  const checking = await reflex.check(files, kind)
  const counts = new Map<CheckOutcome, number>()
  const report = reportTo(console)
  for (const { file, fault } of checking.refused) report.refused({ file, fault })
  for await (const run of checking.runs()) {
    counts.set(run.outcome, (counts.get(run.outcome) ?? 0) + 1)
    report.run(run)
  }
  report.end(checking, counts)
  const wrong = checking.refused.length + (counts.get('breaks') ?? 0) + (counts.get('unknown') ?? 0)
  return wrong === 0 ? EXIT.done : EXIT.no
}

type OutcomeCounts = ReadonlyMap<CheckOutcome, number>

/** The output of the check: a terminal, a pipe, or a document. */
interface Report {
  refused(file: RefusedFile): void
  run(run: CheckedRun): void
  end(checking: ProgramCheck, tally: OutcomeCounts): void
}

function reportTo(console: Console): Report {
  if (console.shape === 'json') return jsonReport(console)
  if (console.shape === 'jsonl') return jsonlReport(console)
  return console.out.terminal ? terminalReport(console) : tableReport(console)
}

function jsonReport(console: Console): Report {
  const runs: JsonObject[] = []
  const refused: JsonObject[] = []
  return {
    refused: (file) => void refused.push(refusedDocument(file)),
    run: (run) => void runs.push(runDocument(run)),
    end: (checking, counts) =>
      console.document(plainJson({ v: 1, runs, refused, unused: checking.unused, open: sum(counts), breaks: counts.get('breaks') ?? 0 })),
  }
}

function jsonlReport(console: Console): Report {
  return {
    refused: (file) => console.document(plainJson({ v: 1, ...refusedDocument(file) })),
    run: (run) => console.document(plainJson({ v: 1, ...runDocument(run) })),
    end: () => undefined,
  }
}

function refusedDocument({ file, fault }: RefusedFile): JsonObject {
  return plainJson({ file, error: faultData(fault) })
}

function runDocument({ row, outcome, programs, replayed, fault }: CheckedRun): JsonObject {
  return plainJson({
    run: row.id,
    program: programDocument(row.program),
    outcome,
    programs,
    replay: replayed === undefined ? undefined : replayedDocument(replayed),
    error: fault === undefined ? undefined : faultData(fault),
  })
}

function tableReport(console: Console): Report {
  return {
    refused: ({ fault }) => console.report(console.fault(faultData(fault))),
    run(run) {
      const { row, outcome, replayed, fault } = run
      const found = fault ?? replayed?.fault
      const place = found?.file === undefined ? '' : `${found.file}:${found.line ?? 1}:${found.column ?? 1}`
      const record = replayed?.difference === undefined ? '' : String(replayed.difference.record)
      console.world.out.write(tabSeparated([[row.id, programName(row.program[0]), outcome, record, place, outcomeText(run)]]))
    },
    end: (checking) => printUnused(console, checking),
  }
}

function terminalReport(console: Console): Report {
  const { out } = console
  /** The first run that breaks at each place; later runs that break there only name it. */
  const places = new Map<string, string>()
  let look: readonly string[] | undefined
  /** Modules without which some runs cannot be checked: a module that only a journal names is never imported. */
  const missingTools = new Set<string>()
  return {
    refused: ({ fault }) => console.print(console.fault(faultData(fault), out)),
    run(run) {
      const { row, outcome, replayed } = run
      const quiet = outcome !== 'breaks' && outcome !== 'unknown' && outcome !== 'noted'
      if (quiet && console.flags.verbose !== true) return
      const text = `${programName(row.program[0])}@${row.program[3].slice(0, 6)}  ${outcomeText(run)}`
      console.print(layoutRow({ depth: 0, mark: MARKS[outcome], node: row.id, text }, out))
      if (run.fault?.code === NO_TOOL) for (const tool of run.tools ?? []) missingTools.add(console.nearPath(tool))
      const { difference } = replayed ?? {}
      if (difference === undefined || outcome !== 'breaks') return
      const place = placeLines(console, difference.fault).join('\n') + difference.decided.says
      const known = places.get(place)
      look ??= ['replay', row.id, ...(run.file === undefined ? [] : ['--against', console.nearPath(run.file)])]
      places.set(place, known ?? row.id)
      console.print(known === undefined ? differenceLines(console, difference, 'changed', 4) : [`    as ${out.text(known)}`])
    },
    end(checking, counts) {
      printUnused(console, checking)
      console.print(summary(console, counts))
      if (look !== undefined) console.print([commandHint(out, 'look', console.command(...look))])
      if (missingTools.size > 0)
        console.print([commandHint(out, 'again', console.command('check', ...[...missingTools].flatMap((tool) => ['--tools', tool])))])
    },
  }
}

function printUnused(console: Console, { unused }: ProgramCheck): void {
  for (const file of unused) console.report([`no open run uses ${console.err.text(console.nearPath(file))}`])
}

function outcomeText({ outcome, replayed, fault }: CheckedRun): string {
  const equal = counted(replayed?.equal ?? 0, 'record')
  switch (outcome) {
    case 'equal':
      return `${equal} equal`
    case 'noted':
      return `continues as recorded; ${counted(replayed?.noted ?? 0, 'record')} would have other notes`
    case 'breaks':
      return `${equal} equal, record ${replayed?.difference?.record ?? 0} differs`
    case 'unchanged':
      return 'already has these programs'
    case 'apart':
      return 'uses none of these programs'
    case 'unknown':
    default:
      return `${fault?.code ?? ''} ${fault?.message ?? ''}`
  }
}

/** Returns `2 of 12 open runs would break · 9 continue as recorded · 1 uses none of these programs`. */
function summary({ out }: Console, counts: OutcomeCounts): string[] {
  const of = (...outcomes: readonly CheckOutcome[]): number => outcomes.reduce((all, outcome) => all + (counts.get(outcome) ?? 0), 0)
  const [all, breaks, unknown, good, apart] = [sum(counts), of('breaks'), of('unknown'), of('equal', 'noted', 'unchanged'), of('apart')]
  if (all === 0) return ['no open runs']
  const lead = `${count(breaks)} of ${counted(all, 'open run')} would break`
  const painted = breaks > 0 ? out.paint('red', lead) : lead
  const facts = [
    ...(good === 0 ? [] : [`${count(good)} ${good === 1 ? 'continues' : 'continue'} as recorded`]),
    ...(apart === 0 ? [] : [`${count(apart)} ${apart === 1 ? 'uses' : 'use'} none of these programs`]),
    ...(unknown === 0 ? [] : [`${count(unknown)} cannot be checked`]),
  ]
  return factLine(lead, painted, facts, out)
}

function sum(counts: OutcomeCounts): number {
  return [...counts.values()].reduce((all, some) => all + some, 0)
}
