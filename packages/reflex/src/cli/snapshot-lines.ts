import type { Fault } from '../kernel/index.ts'
import type { MinedPattern } from '../learn/mine/pattern.ts'
import type { Reason, RejectedWord } from '../learn/mine/rejected.ts'
import type { DraftFile } from '../learn/snapshot/draft-folder.ts'
import { REASON_TEXTS, shortSymbol, testCommand, thresholdOf } from '../learn/snapshot/report-texts.ts'
import type { KeptDraft, Snapshot } from '../learn/snapshot/snapshot.ts'
import { count, counted } from '../protocol/plain.ts'
import type { Console } from './console.ts'
import { commandHint, factLine, hangingLines, paragraph } from './layout.ts'
import { duration } from './units.ts'

/** What the lines of a snapshot need besides it. */
export interface SnapshotLook {
  readonly console: Console
  readonly ms: number
  readonly isDry: boolean
  readonly files: ReadonlyMap<KeptDraft, readonly DraftFile[]>
  /** Returns a file of a draft as people name it. */
  readonly place: (path: string) => string
}

/** The number of near misses that are listed without `--verbose`. */
const NEAR_MISSES = 3
/** The rule of steps that nothing undoes: it has a line of its own. */
const NO_UNDO = 'E_COMPENSATION_REQUIRED'
/** The column of what is said of a draft. */
const INDENT = 7
/** The reasons of patterns that came closest to a skill: a number decided, and it can be changed. */
const CLOSE: readonly Reason[] = ['success', 'exceptions', 'cost', 'cohesion', 'variety']

/** Returns the lines of a snapshot: the totals, what was dropped and why, and each draft with what it still needs. */
export function snapshotLines(snapshot: Snapshot, look: SnapshotLook): string[] {
  const { update, report, drafts } = snapshot
  const { console, ms, isDry } = look
  const { out } = console
  const kept = report.patterns.length
  const head = `${counted(report.runs, 'run')}, ${counted(report.calls, 'tool call')} in ${duration(ms)}`
  const totals = `${counted(report.considered, 'pattern')}: ${count(kept)} kept, ${count(report.considered - kept)} dropped`
  const unreadable = update.unreadable.flatMap(({ run, reason }) => hangingLines(`unreadable  ${run}: ${reason}`, out, 2))
  const next = drafts.find(({ draft }) => draft.state === 'candidate')
  return [
    ...paragraph(out.text(`${head} · ${totals}`), out),
    ...unreadable,
    ...droppedLines(snapshot, look),
    ...drafts.flatMap((one, i) => draftLines(one, report.patterns[i], look)),
    ...(isDry && kept > 0 ? hangingLines('nothing was written: --dry', out, 2) : []),
    ...(isDry || next === undefined ? [] : [commandHint(out, 'test it', console.command(...testCommand(next)))]),
  ]
}

function droppedLines({ report }: Snapshot, { console }: SnapshotLook): readonly string[] {
  const { out, flags } = console
  const counts = (Object.entries(report.counts) as [Reason, number][]).filter(([, number]) => number > 0).sort((a, b) => b[1] - a[1])
  if (counts.length === 0) return []
  const near = flags.verbose === true ? report.rejected : nearMisses(report)
  return [
    ...factLine(
      '  dropped',
      `  ${out.paint('dim', 'dropped')}`,
      counts.map(([reason, number]) => `${count(number)} ${REASON_TEXTS[reason]}`),
      out,
    ),
    ...near.flatMap((word) => hangingLines(`${arrows(word.symbols, out.text('→'))}  ${whyDropped(word, report)}`, out, 11)),
  ]
}

/** Returns the dropped patterns that came closest. A longer form of a kept pattern is none: the skill has what it does. */
function nearMisses({ rejected, patterns }: Snapshot['report']): readonly RejectedWord[] {
  const kept = patterns.map(({ symbols }) => symbols.join('\n'))
  const isNear = ({ reason, symbols }: RejectedWord): boolean =>
    CLOSE.includes(reason) && !kept.some((word) => `\n${symbols.join('\n')}\n`.includes(`\n${word}\n`))
  return rejected.filter(isNear).slice(0, NEAR_MISSES)
}

/** Returns why a pattern was dropped, with the number that would have passed. */
function whyDropped({ reason, detail, support }: RejectedWord, report: Snapshot['report']): string {
  const needs = thresholdOf(reason, report)
  const found = reason === 'support' ? counted(support, 'run') : detail
  return [REASON_TEXTS[reason], ...(found === undefined ? [] : [found]), ...(needs === undefined ? [] : [`needs ${needs}`])].join(', ')
}

function draftLines(one: KeptDraft, pattern: MinedPattern | undefined, look: SnapshotLook): readonly string[] {
  const { out } = look.console
  const { manifest, novelty, findings, saving } = one.draft
  const name = `${manifest.id}@${manifest.version}`
  const lead = `${novelty.is === 'known' ? 'known' : 'draft'}  ${out.text(name)}`
  const figures = [
    `${percent(pattern?.share ?? 0)} of runs`,
    `${percent(pattern?.success ?? 0)} succeeded`,
    `cost ${change(saving.delta)}`,
    `p95 ${change(saving.deltaP95)}`,
  ]
  const open = findings.filter(({ severity, rule }) => severity !== 'warning' && rule !== NO_UNDO)
  const { withoutUndo } = one.draft
  const said = (text: string): readonly string[] => hangingLines(text, out, INDENT)
  return [
    ...factLine(lead, out.paint('bold', lead), [arrows(pattern?.symbols ?? [], out.text('→'))], out),
    ...said(figures.join(out.text(' · '))),
    ...slotTexts(pattern).flatMap(said),
    ...(withoutUndo.length === 0 ? [] : said(`needs an undo for ${withoutUndo.join(', ')} before it can be tested`)),
    ...open.flatMap((found) => said(openText(found))),
    ...(one.refused === undefined ? [] : said(`not kept: ${one.refused.message}`)),
    ...fileTexts(one, look).flatMap(said),
  ]
}

function slotTexts(pattern: MinedPattern | undefined): readonly string[] {
  const slots = pattern?.slots ?? []
  return slots.length === 0 ? [] : [`slots ${slots.map(({ name, origin, path }) => `${name} (${originText(origin, path)})`).join(', ')}`]
}

function originText(origin: string, path: string | undefined): string {
  switch (origin) {
    case 'board':
      return `from ${path ?? 'the blackboard'}`
    case 'user_text':
      return "from the user's text"
    case 'secret':
      return 'a secret'
    default:
      return 'given by the model'
  }
}

function openText({ code, message, rule }: Fault): string {
  return `${rule ?? code}  ${message}`
}

/** Returns where the draft was written, and files that a person has changed. */
function fileTexts(one: KeptDraft, { files, place }: SnapshotLook): readonly string[] {
  const [manifest, ...cases] = files.get(one) ?? []
  if (manifest === undefined) return []
  const left = [manifest, ...cases].filter(({ result }) => result === 'left')
  const name = place(manifest.path)
  return [
    ...(manifest.result === 'left'
      ? []
      : [`${manifest.result} ${name}${cases.length === 0 ? '' : ` with ${counted(cases.length, 'case')}`}`]),
    ...left.map(({ path }) => `left as it is: ${place(path)}, which a person has written or changed`),
  ]
}

/** Returns the tools of symbols. Their shapes are in `--json`. */
function arrows(symbols: readonly string[], arrow: string): string {
  return symbols.map(shortSymbol).join(` ${arrow} `)
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function change(delta: number): string {
  return `${delta < 0 ? '−' : '+'}${Math.abs(delta * 100).toFixed(0)} %`
}
