import { counted, plainJson } from '../../protocol/plain.ts'
import { type CancelFilter, type CancelledRuns, cancelMatching, MOST_CANCELLED } from '../../runs/cancel-matching.ts'
import { findRun } from '../../runs/find-run.ts'
import { faults } from '../../runs/faults.ts'
import { EXIT } from '../exit.ts'
import { commandHint, factLine, hangingLines } from '../layout.ts'
import { type FilterFlags, limitOf, statusesOf, timeOf } from '../run-filter.ts'
import type { Session } from '../session.ts'

export interface CancelMatchingFlags extends FilterFlags {
  readonly reason?: string
  readonly dry?: boolean
}

/** The flags that choose runs, and those that only bound the list. */
const FILTERS = ['kind', 'program', 'status', 'since', 'until'] as const
const UNFINISHED = ['running', 'suspended'] as const
const USUAL_LIMIT = 100

/** Returns true if the flags name runs. */
export function hasFilter(flags: CancelMatchingFlags): boolean {
  return FILTERS.some((name) => flags[name] !== undefined)
}

/**
 * `reflex cancel --kind KIND …`: cancels the unfinished runs that match a filter, or with `--dry` lists them. Runs of other processes are
 * asked to end and not waited for. Exits with 1 if some could not be cancelled. Throws `R2031` for a word that a flag does not take.
 */
export async function cancelAll(session: Session, flags: CancelMatchingFlags): Promise<number> {
  const { console, reflex } = session
  const { reason, dry = false } = flags
  const result = await cancelMatching(reflex, await filterOf(session, flags), { dry, ...(reason === undefined ? {} : { reason }) })
  // Runs that this process has opened run their compensation steps here.
  await Promise.all([...reflex.runtime.openRuns.values()].map((run) => run.idle()))
  if (console.shape === 'text') printCancelled(session, result, dry)
  else console.document(plainJson({ v: 1, dry, ...result }))
  return result.failed.length > 0 ? EXIT.no : EXIT.done
}

async function filterOf({ console, reflex }: Session, flags: CancelMatchingFlags): Promise<CancelFilter> {
  const statuses = new Set(statusesOf(flags.status, UNFINISHED))
  const [status] = statuses.size === 1 ? statuses : []
  const since = timeOf('--since', flags.since, console.now)
  const until = timeOf('--until', flags.until, console.now)
  const limit = limitOf(flags.limit, USUAL_LIMIT)
  if (limit > MOST_CANCELLED)
    throw faults.make('R2031', `--limit ${limit} is above ${MOST_CANCELLED}`, { fix: `write --limit ${MOST_CANCELLED}` })
  return {
    limit,
    ...(status === undefined ? {} : { status }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(flags.kind === undefined ? {} : { kind: flags.kind }),
    ...(flags.program === undefined ? {} : { program: flags.program }),
    ...(flags.after === undefined ? {} : { after: (await findRun(reflex.store, flags.after)).id }),
  }
}

function printCancelled({ console }: Session, { cancelled, failed, next }: CancelledRuns, dry: boolean): void {
  const { err } = console
  for (const { error } of failed) console.report(console.fault(error))
  if (console.quiet) return
  const word = dry ? 'would cancel' : 'cancelled'
  console.report([
    ...factLine(word, err.paint('yellow', word), [counted(cancelled.length, 'run')], err),
    ...cancelled.flatMap((run) => hangingLines(run, err, 2)),
    ...(next === undefined ? [] : [commandHint(err, 'more', `repeat the command with --after ${next}`)]),
  ])
}
