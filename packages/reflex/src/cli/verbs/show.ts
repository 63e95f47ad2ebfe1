import { segmentDocuments, showDocument } from '../../protocol/view-document.ts'
import { programName, utc } from '../../protocol/plain.ts'
import type { EdgeState } from '../../programs/kind-view.ts'
import type { OpenQuestion } from '../../runs/handle.ts'
import { isInternalQuestion } from '../../people/index.ts'
import { shortJson } from '../../text/index.ts'
import type { RunView, StackStep } from '../../runs/view.ts'
import type { Console } from '../console.ts'
import { questionLines, remedyLines } from '../ending.ts'
import { reasonText } from '../event-text.ts'
import { segmentText } from '../segment-text.ts'
import { jsonText } from '../escape.ts'
import { EXIT } from '../exit.ts'
import { fitValue } from '../fit-value.ts'
import { abandonedRuns, waitReason } from '../abandoned-runs.ts'
import { factLine, layoutText, tabSeparated, commandHint } from '../layout.ts'
import { pictureRows } from '../picture-rows.ts'
import { type RunWait, waitInCluster } from '../run-wait.ts'
import type { Session } from '../session.ts'
import { duration, localTime } from '../units.ts'

/** `reflex show RUN[@N]`: prints the state of a run, now or after one of its records. */
export async function show(session: Session, address: string): Promise<number> {
  const { console, reflex } = session
  const view = await reflex.show(address)
  const { row, at, inbox } = view
  // A run that rests waits for no worker.
  const isDue = row.status === 'running' || inbox.length > 0 || (row.due !== null && row.due <= console.now)
  const wait = isDue && at === row.last ? await waitInCluster(reflex, row) : undefined
  const gone = wait === undefined && (await abandonedRuns({ console, store: reflex.store }, [row])).has(row.id)
  if (console.shape !== 'text') console.document({ ...showDocument(view, gone), ...(wait === undefined ? {} : { worker: wait }) })
  else if (console.out.terminal) console.print(lines(console, view, gone, wait))
  else console.world.out.write(tabSeparated(rows(view, wait)))
  return EXIT.done
}

function rows(
  { at, time, stack, branches, picture, failures, choices, board, waiting, questions, inbox, segments, replayable }: RunView,
  wait: RunWait | undefined,
): string[][] {
  return [
    ['at', String(at), utc(time)],
    ...(wait === undefined ? [] : [['worker', wait.queue, wait.text, wait.fix]]),
    ...(replayable === undefined ? [] : [['replayable', replayable]]),
    ...(segmentDocuments(segments) ?? []).map(({ number, first, last, place, archive = '' }) => [
      'segment',
      String(number),
      `${first}-${last}`,
      place,
      archive,
    ]),
    ...stack.map(({ program, node }) => ['stack', programName(program), node ?? '']),
    ...branches.map((one) => ['branch', stackText(one), one.at(-1)?.node ?? '']),
    ...picture.map(({ depth, mark, node, text, ms }) => [
      'node',
      `${'  '.repeat(depth)}${node}`,
      mark,
      text ?? '',
      ms === undefined ? '' : duration(ms),
    ]),
    ...failures.map(({ node, text, at: when, isRecovered }) => ['failure', node, text, utc(when), ...(isRecovered ? ['recovered'] : [])]),
    ...choices.map(({ id, open, why, when }) => ['edge', id, open ? 'open' : 'closed', why ?? when ?? '']),
    ...waiting.map(({ path, queue }) => ['waiting', path, queue]),
    ...questions.map(({ id, path, question }) => ['question', id, path, question.text]),
    ...board.map(({ key, value, node, record, known, by }) => [
      'board',
      key,
      jsonText(value),
      `${node ?? by ?? 'input'} @${record}`,
      ...(known === undefined ? [] : [known]),
    ]),
    ...inbox.map(({ type, to, body, by = '', fault }) => ['inbox', `${type} ${to}`.trim(), fault?.message ?? jsonText(body), by]),
  ]
}

function lines(console: Console, view: RunView, gone: boolean, wait: RunWait | undefined): string[] {
  const { out } = console
  const { row, at, time, stack, branches, choices, waiting, questions } = view
  const id = out.text(row.id)
  const latest = at === row.last
  const status = gone ? 'suspended' : row.status
  const waits = wait !== undefined ? `a worker in the queue ${wait.queue}` : latest ? waitReason(row, gone) : ''
  const state = latest ? `${status}${waits === '' ? '' : `, waits for ${waits}`}` : `now ${status}`
  const failures = questions.filter(({ asker }) => asker === 'retry')
  const asked = questions.filter(({ asker }) => asker !== 'retry')
  const head = factLine(
    `${id} at ${at} of ${row.last}`,
    `${out.paint('bold', id)} at ${at} of ${row.last}`,
    [localTime(time, console.now), state, ...(view.replayable === undefined ? [] : [`replayable: ${view.replayable}`])],
    out,
  )
  const part = (name: string, text: string): string[] =>
    text === '' ? [] : layoutText({ lead: name, painted: out.paint('dim', name), text, column: 8 }, out)
  return [
    ...head,
    ...(wait === undefined ? [] : workerLines(console, wait)),
    ...part('segment', segmentText(view.segments)),
    ...[stack, ...branches].flatMap((one, i) => part(i === 0 ? 'stack' : '     ', stackText(one))),
    ...pictureRows(view.picture, out),
    ...part('room', waiting.map(({ path, queue }) => `${path} waits for room in the queue ${queue}`).join(' · ')),
    ...failureLines(console, view),
    ...part('edges', choices.map(edgeText).join(' · ')),
    ...board(console, view),
    ...inbox(console, view),
    ...failures.flatMap(({ fault }) => (fault === undefined ? [] : console.fault(fault))),
    ...(failures.length === 0 || !latest ? [] : remedyLines(console, row.id, failures, [], out)),
    ...asked.flatMap((question) =>
      latest ? questionLines(console, question, asked.length === 1, out) : pastQuestionLines(console, question),
    ),
    ...(latest ? [] : decideLines(console, view, asked)),
  ]
}

/** Returns why no worker has taken the run, and what helps. */
function workerLines(console: Console, { text, fix }: RunWait): string[] {
  const { out } = console
  return layoutText({ lead: 'worker', painted: out.paint('dim', 'worker'), text, more: [console.pasted(fix)], column: 8 }, out)
}

/** Returns programs and nodes, with the branch before its node: `release › fan › audit › scan`. */
function stackText(stack: readonly StackStep[]): string {
  // A branch walks the program of the step before it.
  const words = stack.flatMap(({ program, node, branch }) =>
    branch === undefined ? [programName(program), node] : [branch, node === branch ? undefined : node],
  )
  return words.filter((word) => word !== undefined).join(' › ')
}

/** Returns a question that was open at an earlier record. */
function pastQuestionLines({ out }: Console, open: OpenQuestion): string[] {
  const { options = [], text } = open.question
  const offered = options.length === 0 ? '' : `   ${options.map(({ value }) => value).join(' · ')}`
  const facts = [`was open at ${open.path}`]
  return layoutText({ lead: 'asked', painted: out.paint('dim', 'asked'), text: `${text}${offered}`, facts, column: 8 }, out)
}

/**
 * Returns the command that gives another answer at a past record: a fork. A fork cannot decide questions of Reflex
 * itself.
 */
function decideLines(console: Console, { row, at }: RunView, asked: readonly OpenQuestion[]): string[] {
  const [first, another] = asked.filter((open) => !isInternalQuestion(open))
  const value = first?.question.options?.[0]?.value
  if (first === undefined || value === undefined) return []
  const word = another === undefined ? value : `${first.path}=${value}`
  return [commandHint(console.out, 'decide', console.command('fork', `${row.id}@${at}`, '--decide', word))]
}

function edgeText({ id, open, why, when }: EdgeState): string {
  if (open) return `${id} open${when === undefined ? '' : ` if ${when}`}`
  return `${id} closed${why === undefined ? '' : `, ${why}`}`
}

/** The most failures on a terminal; the newest ones are shown. */
const MOST_FAILURES = 8

/** Returns the failures that the program remembers: also of nodes that have begun again since. */
function failureLines({ out, now }: Console, { failures }: RunView): string[] {
  const left = failures.length - MOST_FAILURES
  const more = left <= 0 ? [] : layoutText({ lead: '        …', painted: '        …', text: `${left} more, with --json`, column: 10 }, out)
  const lines = failures.slice(-MOST_FAILURES).flatMap(({ node, text, at, isRecovered }, i) => {
    const lead = `${i === 0 ? 'failed' : '      '}  ${out.text(node)}`
    const facts = [...(isRecovered ? ['recovered'] : []), localTime(at, now)]
    return layoutText({ lead, painted: i === 0 ? `${out.paint('dim', 'failed')}${lead.slice(6)}` : lead, text, facts, column: 22 }, out)
  })
  return [...lines, ...more]
}

/** Returns the messages in the inbox of a run. */
function inbox({ out, now }: Console, { row, inbox: messages }: RunView): string[] {
  const hasEnded = row.status !== 'running' && row.status !== 'suspended'
  return messages.flatMap(({ type, to, body, by, reason, at, fault }, i) => {
    const lead = i === 0 ? 'inbox' : '     '
    if (fault !== undefined)
      return layoutText({ lead, painted: out.paint('dim', lead), text: out.text(`${fault.code} ${fault.message}`), column: 8 }, out)
    const text = `${`${type} ${to}`.trim()}: ${shortJson(body)}${out.text(reasonText(reason))}`
    const facts = [...(by === undefined ? [] : [`by ${by}`]), localTime(at, now), hasEnded ? 'the run had ended' : 'not read yet']
    return layoutText({ lead, painted: out.paint('dim', lead), text, facts, column: 8 }, out)
  })
}

/** The most cells of a key; longer keys push their values to the right. */
const WIDEST_KEY = 28

function board({ out, flags }: Console, { board: entries }: RunView): string[] {
  const widest = Math.min(out.isNarrow ? 16 : WIDEST_KEY, Math.max(0, ...entries.map(({ key }) => key.length)))
  return entries.flatMap(({ key, value, node, record, known, by }, i) => {
    const name = i === 0 ? 'board' : '     '
    const lead = `${name}   ${out.text(key).padEnd(widest)}`
    const painted = `${out.paint('dim', name)}   ${out.text(key).padEnd(widest)}`
    const facts = [...(known === undefined || flags.verbose !== true ? [] : [known]), `${node ?? by ?? 'input'} @${record}`]
    const column = Math.max(10 + widest, lead.length + 2)
    return layoutText({ lead, painted, text: fitValue(value, column, facts, out), facts, column }, out)
  })
}
