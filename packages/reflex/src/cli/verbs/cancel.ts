import type { Cancelled } from '../../runs/cancelling.ts'
import type { Worker } from '../../kernel/index.ts'
import type { PossibleEffect } from '../../runs/possible-effects.ts'
import type { Console } from '../console.ts'
import { plain } from '../run-document.ts'
import { suspendedLines } from '../ending.ts'
import { EXIT } from '../exit.ts'
import { durationOf } from '../grammar.ts'
import { factLine, hanging, way } from '../layout.ts'
import type { CarryFlags } from '../options.ts'
import type { Session } from '../session.ts'

export interface CancelFlags extends CarryFlags {
  readonly reason?: string
  /** Milliseconds to wait for the process that holds the run. */
  readonly wait?: string
}

/** `reflex cancel RUN`: ends the run here, or asks the process that holds it, waits for that process, and reports the result. */
export async function cancel(session: Session, ref: string, { reason, wait }: CancelFlags): Promise<number> {
  const { console, reflex } = session
  const speaks = console.shape === 'text' && !console.quiet
  const first = await reflex.cancel(ref, {
    ...(reason === undefined ? {} : { reason }),
    ...(wait === undefined ? {} : { wait: durationOf(wait, '--wait') }),
    requested: (holder) =>
      speaks && console.tell([console.err.text(`cancellation requested; ${processName(console, holder)} will stop the run`)]),
  })
  await first.handle?.idle()
  const cancelled = first.handle === undefined ? first : settled(first, first.handle.status)
  const by = reflex.actor
  if (console.shape !== 'text') {
    const { run, did, status, record, holder, effects } = cancelled
    const said = { by, ...(reason === undefined ? {} : { reason }), ...(record === undefined ? {} : { record }) }
    const more = {
      ...(holder === undefined ? {} : { holder: { pid: holder.pid, host: holder.host } }),
      ...(effects === undefined ? {} : { effects }),
    }
    console.document(plain({ v: 1, run, did, status, cancelled: said, inbox: did === 'requested', ...more }))
  } else if (speaks) tell(session, cancelled, reason === undefined ? `by ${by}` : `by ${by}: ${reason}`)
  return { cancelled: EXIT.done, cancelling: EXIT.suspended, requested: EXIT.suspended, late: EXIT.no }[cancelled.did]
}

/** A run that this process holds has run the compensation steps that it could. */
function settled(cancelled: Cancelled, status: Cancelled['status']): Cancelled {
  return { ...cancelled, status, did: status === 'cancelled' ? 'cancelled' : cancelled.did }
}

function tell({ console }: Session, { run, did, status, record, handle, holder, effects }: Cancelled, said: string): void {
  const { err } = console
  const id = err.text(run)
  const line = (word: string, facts: readonly string[]): string[] =>
    factLine(`${word}  ${id}`, `${err.paint('yellow', word)}  ${id}`, facts, err)
  const place = holder === undefined ? '' : ` by ${processName(console, holder)}`
  const recorded = record === undefined ? [] : [`recorded @${record}${place}`]
  switch (did) {
    case 'cancelled':
      return console.tell([
        ...line(did, [said, ...recorded]),
        ...effectLines(console, effects),
        way(err, 'look back', console.command('trace', run)),
      ])
    case 'cancelling':
      return console.tell([
        ...line(did, [said, ...recorded, 'its programs run compensation steps']),
        ...effectLines(console, effects),
        ...(handle?.status === 'suspended' ? suspendedLines(console, handle) : [way(err, 'look', console.command('show', run))]),
      ])
    case 'requested':
      return console.tell([
        ...line(did, [said, `not taken yet${place}`, 'it stays in the inbox']),
        ...effectLines(console, effects),
        way(err, 'look', console.command('show', run)),
      ])
    case 'late':
      return console.tell([
        ...line(status, ['it ended before the cancellation arrived']),
        way(err, 'look back', console.command('trace', run)),
      ])
  }
}

/** `may have happened  pay  bank.transfer  otter-2m9q:12`, so that a person can check with the other side. */
function effectLines({ err }: Console, effects: readonly PossibleEffect[] = []): string[] {
  return effects.flatMap(({ key, path, name, asked }) =>
    hanging([asked ? 'was asked about' : 'may have happened', path, name, `key ${key}`].filter((part) => part !== '').join('  '), err, 2),
  )
}

function processName(console: Console, { pid, host }: Worker): string {
  return `process ${pid}${host === console.world.surroundings.worker.host ? '' : ` on ${host}`}`
}
