import { plainJson } from '../../protocol/plain.ts'
import { faults } from '../../runs/faults.ts'
import type { CancelResult } from '../../runs/cancelling.ts'
import type { Worker } from '../../kernel/index.ts'
import type { PossibleEffect } from '../../runs/possible-effects.ts'
import type { Console } from '../console.ts'
import { suspendedLines } from '../ending.ts'
import { EXIT } from '../exit.ts'
import { durationOf } from '../grammar.ts'
import { factLine, hangingLines, commandHint } from '../layout.ts'
import type { ContinueFlags } from '../options.ts'
import type { Session } from '../session.ts'
import { cancelAll, type CancelMatchingFlags, hasFilter } from './cancel-matching.ts'

export interface CancelFlags extends ContinueFlags, CancelMatchingFlags {
  /** The time to wait for the process that owns the run, as a duration such as `10s`. */
  readonly wait?: string
}

/**
 * `reflex cancel RUN`: ends the run here, or asks the process that owns it, waits for that process, and reports the
 * result. Without a run, cancels all that match a filter. Throws `R2031` without both, and with both.
 */
export async function cancel(session: Session, ref: string | undefined, flags: CancelFlags): Promise<number> {
  if (ref === undefined && hasFilter(flags)) return cancelAll(session, flags)
  const fix = 'reflex cancel RUN, or reflex cancel --kind KIND --dry'
  if (ref === undefined) throw faults.make('R2031', 'cancel names no run and no filter', { fix })
  if (hasFilter(flags) || flags.dry === true) throw faults.make('R2031', 'cancel names a run and a filter', { fix })
  return cancelOne(session, ref, flags)
}

async function cancelOne(session: Session, ref: string, { reason, wait }: CancelFlags): Promise<number> {
  const { console, reflex } = session
  const isPrinted = console.shape === 'text' && !console.quiet
  const first = await reflex.cancel(ref, {
    ...(reason === undefined ? {} : { reason }),
    ...(wait === undefined ? {} : { wait: durationOf(wait, '--wait') }),
    requested: (holder) =>
      isPrinted && console.report([console.err.text(`cancellation requested; ${processName(console, holder)} will stop the run`)]),
  })
  await first.handle?.idle()
  const cancelled = first.handle === undefined ? first : withFinalStatus(first, first.handle.status)
  const by = reflex.actor
  if (console.shape !== 'text') {
    const { run, did, status, record, holder, effects } = cancelled
    const details = { by, ...(reason === undefined ? {} : { reason }), ...(record === undefined ? {} : { record }) }
    const more = {
      ...(holder === undefined ? {} : { holder: { pid: holder.pid, host: holder.host } }),
      ...(effects === undefined ? {} : { effects }),
    }
    console.document(plainJson({ v: 1, run, did, status, cancelled: details, inbox: did === 'requested', ...more }))
  } else if (isPrinted) printCancelled(session, cancelled, reason === undefined ? `by ${by}` : `by ${by}: ${reason}`)
  return { cancelled: EXIT.done, cancelling: EXIT.suspended, requested: EXIT.suspended, late: EXIT.no }[cancelled.did]
}

/** Returns the result with the status after the compensation steps that this process could run. */
function withFinalStatus(cancelled: CancelResult, status: CancelResult['status']): CancelResult {
  return { ...cancelled, status, did: status === 'cancelled' ? 'cancelled' : cancelled.did }
}

function printCancelled({ console }: Session, { run, did, status, record, handle, holder, effects }: CancelResult, details: string): void {
  const { err } = console
  const id = err.text(run)
  const line = (word: string, facts: readonly string[]): string[] =>
    factLine(`${word}  ${id}`, `${err.paint('yellow', word)}  ${id}`, facts, err)
  const place = holder === undefined ? '' : ` by ${processName(console, holder)}`
  const recorded = record === undefined ? [] : [`recorded @${record}${place}`]
  switch (did) {
    case 'cancelled':
      return console.report([
        ...line(did, [details, ...recorded]),
        ...effectLines(console, effects),
        commandHint(err, 'look back', console.command('trace', run)),
      ])
    case 'cancelling':
      return console.report([
        ...line(did, [details, ...recorded, 'its programs run compensation steps']),
        ...effectLines(console, effects),
        ...(handle?.status === 'suspended' ? suspendedLines(console, handle) : [commandHint(err, 'look', console.command('show', run))]),
      ])
    case 'requested':
      return console.report([
        ...line(did, [details, `not read yet${place}`, 'it stays in the inbox']),
        ...effectLines(console, effects),
        commandHint(err, 'look', console.command('show', run)),
      ])
    case 'late':
      return console.report([
        ...line(status, ['it ended before the cancellation arrived']),
        commandHint(err, 'look back', console.command('trace', run)),
      ])
  }
}

/**
 * Returns lines such as `may have happened  pay  bank.transfer  otter-2m9q:12`, so that a person can ask the other
 * side.
 */
function effectLines({ err }: Console, effects: readonly PossibleEffect[] = []): string[] {
  return effects.flatMap(({ key, path, name, asked }) =>
    hangingLines(
      [asked ? 'outcome unknown' : 'may have happened', path, name, `key ${key}`].filter((part) => part !== '').join('  '),
      err,
      2,
    ),
  )
}

function processName(console: Console, { pid, host }: Worker): string {
  return `process ${pid}${host === console.world.surroundings.worker.host ? '' : ` on ${host}`}`
}
