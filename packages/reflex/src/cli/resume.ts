import type { RunRow, Worker } from '../kernel/index.ts'
import { conduct, retryFailures } from './conduct.ts'
import { decides, runHeader } from './header.ts'
import type { CarryFlags } from './options.ts'
import type { Session } from './session.ts'
import { counted } from './units.ts'

/** `reflex resume RUN`: goes on under what the run was started with, and says what that is. */
export async function resume(session: Session, ref: string, flags: CarryFlags): Promise<number> {
  const { reflex } = session
  const row = await reflex.find(ref)
  return conduct(session, flags, {
    open: (prepare) => reflex.resume(row.id, { prepare }),
    header: (handle) => {
      const { agent } = reflex.keeps(handle.run)
      runHeader(session, handle, [
        ...takenOver(row, session.console.world.surroundings.worker),
        counted(handle.run.state.n, 'record'),
        `keeps ${decides(agent)}`,
      ])
    },
    first: async (handle) => {
      await handle.idle()
      await retryFailures(handle, reflex.actor)
    },
  })
}

function takenOver({ owner }: RunRow, us: Worker): string[] {
  if (owner === null || owner.id === us.id) return []
  return [`taken over from process ${owner.pid}${owner.host === us.host ? '' : ` on ${owner.host}`}, which is gone`]
}
