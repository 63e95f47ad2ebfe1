import type { Cancelled } from '../../cancelling.ts'
import type { RunStatus } from '../../kernel/index.ts'
import { plain } from '../documents.ts'
import { suspendedLines } from '../ending.ts'
import { EXIT } from '../exit.ts'
import { factLine, way } from '../layout.ts'
import type { CarryFlags } from '../options.ts'
import type { Session } from '../session.ts'

export interface CancelFlags extends CarryFlags {
  readonly reason?: string
}

/** Milliseconds: whoever holds a run looks into its inbox about once a second. */
const PATIENCE = 3000
const LOOK = 100

/** `reflex cancel RUN`: every program of the run hears so and may undo what it did; then the run ends as cancelled. */
export async function cancel(session: Session, ref: string, { reason }: CancelFlags): Promise<number> {
  const { console, reflex } = session
  const cancelled = await reflex.cancel(ref, reason === undefined ? {} : { reason })
  await cancelled.handle?.idle()
  const status = await statusOf(session, cancelled)
  const by = reflex.actor
  if (console.shape !== 'text') {
    const { run, record, handle } = cancelled
    const said = { by, ...(reason === undefined ? {} : { reason }), ...(record === undefined ? {} : { record }) }
    console.document(plain({ v: 1, run, status, cancelled: said, inbox: handle === undefined && status !== 'cancelled' }))
  } else if (!console.quiet) tell(session, cancelled, status, reason === undefined ? `by ${by}` : `by ${by}: ${reason}`)
  return status === 'suspended' && cancelled.handle !== undefined ? EXIT.suspended : EXIT.done
}

/** How the run stands; of one that another process holds, once that has had time to hear of it. */
async function statusOf({ console, reflex }: Session, { run, handle }: Cancelled): Promise<RunStatus> {
  if (handle !== undefined) return handle.status
  const { host } = console.world.surroundings
  const until = host.now() + PATIENCE
  for (;;) {
    const { status } = await reflex.find(run)
    if ((status !== 'running' && status !== 'suspended') || host.now() >= until) return status
    await new Promise<void>((resolve) => void host.at(host.now() + LOOK, resolve))
  }
}

function tell({ console }: Session, { run, record, handle }: Cancelled, status: RunStatus, said: string): void {
  const { err } = console
  const id = err.text(run)
  const line = (word: string, facts: readonly string[]): string[] =>
    factLine(`${word}  ${id}`, `${err.paint('yellow', word)}  ${id}`, facts, err)
  if (handle !== undefined && status === 'suspended')
    return console.tell([...line('cancelling', [said, `recorded @${record ?? 0}`]), ...suspendedLines(console, handle)])
  if (handle === undefined && status !== 'cancelled')
    return console.tell([
      ...line(status, [`told, ${said}: in its inbox, which whoever holds the run looks into`]),
      way(err, 'look', console.command('show', run)),
    ])
  console.tell([
    ...line(status, [said, record === undefined ? 'recorded by who held the run' : `recorded @${record}`]),
    way(err, 'look back', console.command('trace', run)),
  ])
}
