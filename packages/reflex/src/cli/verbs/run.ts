import { driveRun } from '../drive-run.ts'
import { requireEvents } from '../event-lines.ts'
import { runHeader } from '../header.ts'
import type { RunHandle } from '../../runs/handle.ts'
import type { Session } from '../session.ts'
import { type LiveKind, readsItself, startOptions } from '../start-options.ts'
import { feed, liveRuns, type WatchFlags } from './watch.ts'

/** `reflex run PROGRAM`: starts a run and continues it until it ends or waits. */
export async function run(session: Session, program: string, flags: WatchFlags): Promise<number> {
  const fed = flags.events === undefined ? undefined : await liveRuns(session, program, flags.kind)
  const isRead = fed !== undefined && readsItself(fed, flags.events) !== undefined
  if (!isRead) await requireEvents(session, flags.events)
  const options = await startOptions(session, flags, fed)
  return driveRun(session, flags, {
    open: (prepare) => session.reflex.start(program, { ...options, prepare }),
    header: (handle) => runHeader(session, handle, []),
    ...(fed === undefined || isRead ? {} : { beforeContinue: (handle) => feedAll(session, handle, fed, flags.events ?? '') }),
  })
}

/** Sends all events to a run, then the message that ends it once it has handled them. */
async function feedAll(session: Session, handle: RunHandle, { live }: LiveKind, name: string): Promise<void> {
  await feed(session, handle, live, name)
  if (handle.run.state.ended === undefined) await handle.run.message(live.topics.close, null, { by: session.reflex.actor })
}
