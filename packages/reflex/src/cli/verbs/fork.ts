import { forkDocument } from '../../protocol/view-document.ts'
import type { ForkDecision } from '../../runs/fork-decision.ts'
import type { ForkedRun } from '../../app/forking.ts'
import { readTrust } from '../../policy/index.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { readInputs } from '../grammar.ts'
import { factLine, layoutRow, paragraph, commandHint } from '../layout.ts'
import type { CommonFlags } from '../options.ts'
import type { Session } from '../session.ts'
import { valueText } from '../event-text.ts'
import { counted } from '../../protocol/plain.ts'

export interface ForkFlags extends CommonFlags {
  readonly set?: readonly string[]
  readonly decide?: string
  readonly id?: string
  readonly trust?: string
  readonly simulate?: boolean
}

/** `reflex fork RUN@N`: makes a run that shares the history up to a record, and performs nothing until it is resumed. */
export async function fork({ console, reflex, read }: Session, address: string, flags: ForkFlags): Promise<number> {
  const { set = [], decide, id, trust, simulate } = flags
  const { input } = await readInputs(set, read, '--set')
  const forked = await reflex.fork(address, {
    ...(set.length === 0 ? {} : { set: input }),
    ...(decide === undefined ? {} : { decide }),
    ...(id === undefined ? {} : { id }),
    ...(trust === undefined ? {} : { trust: readTrust(trust, '--trust') }),
    ...(simulate === undefined ? {} : { simulate }),
  })
  if (console.shape !== 'text') console.document(forkDocument(forked))
  else if (console.out.terminal || !console.quiet) console.print(lines(console, forked))
  else console.print([forked.id])
  return EXIT.done
}

function lines(console: Console, forked: ForkedRun): string[] {
  const { id, from, settled, settledAfter, set, trust, trustBefore, simulated, decided, next } = forked
  const { out } = console
  const lead = `${out.text(id)}  from ${out.text(from.run)}@${from.record}`
  const painted = `${out.paint('bold', out.text(id))}  from ${out.text(from.run)}@${from.record}`
  const shared = [
    `${counted(from.record, 'record')} shared`,
    ...(settled === 0 ? [] : [settledText(settled, settledAfter)]),
    ...(trustBefore === undefined ? [] : [`${trust}, by the fork (was ${trustBefore})`]),
    ...(simulated ? ['simulated: nothing leaves this machine'] : []),
  ]
  const room = Math.max(16, out.columns - 40)
  return [
    ...factLine(lead, painted, [shared.join(', ')], out),
    ...Object.entries(set).flatMap(([key, given]) =>
      layoutRow({ depth: 0, mark: 'note', node: key, text: `${valueText(given, room)}, set by the fork` }, out),
    ),
    ...(decided === undefined ? [] : layoutRow({ depth: 0, mark: 'decided', node: decided.place, text: decisionText(decided) }, out)),
    ...paragraph(`Nothing performed yet.${nextText(next)}`, out),
    commandHint(out, 'continue', console.command('resume', id)),
    commandHint(out, 'look', console.command('show', id)),
  ]
}

/** The effects of sealed segments are not counted. */
function settledText(settled: number, after: number | undefined): string {
  return after === undefined
    ? `${counted(settled, 'settled effect')} kept`
    : `settled effects kept, ${settled} of them after record ${after}`
}

function decisionText({ chose, was }: ForkDecision): string {
  const by = was?.by === undefined ? '' : `, by ${was.by}`
  return `${chose}, by the fork${was === undefined ? '' : was.chose === chose ? ` (as before${by})` : ` (was ${was.chose}${by})`}`
}

/**
 * Returns ` Next: a question, then payments.refund and a model.` If a decision comes first, the next effects are only
 * possible.
 */
function nextText({ first, later }: ForkedRun['next']): string {
  if (first.length === 0) return later.length === 0 ? '' : ` It may reach ${joinNames(later)}.`
  return ` Next: ${joinNames(first)}${later.length === 0 ? '' : `, then ${joinNames(later)}`}.`
}

const MOST = 3

function joinNames(names: readonly string[]): string {
  const shown = names.slice(0, MOST)
  const all = names.length > MOST ? [...shown, 'more'] : shown
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}
