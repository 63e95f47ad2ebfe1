import type { RunRow } from '../../kernel/index.ts'
import { conduct, retryFailures } from '../conduct.ts'
import { decidesIn, runHeader } from '../header.ts'
import type { RunFlags } from '../options.ts'
import { readAgents } from './run.ts'
import type { Session } from '../session.ts'
import { counted } from '../units.ts'
import type { World } from '../world.ts'

/** `reflex resume RUN`: goes on under what the run was started with, and says what that is. */
export async function resume(session: Session, ref: string, flags: Omit<RunFlags, 'input'>): Promise<number> {
  const { reflex, read } = session
  const agent = await readAgents(flags.agent ?? [], read)
  const row = await reflex.find(ref)
  return conduct(session, flags, {
    open: (prepare) =>
      reflex.resume(row.id, {
        prepare,
        ...(agent === undefined ? {} : { agent }),
        ...(flags.model === undefined ? {} : { model: flags.model }),
        ...(flags.recorded === undefined ? {} : { recorded: flags.recorded }),
      }),
    header: (handle) => {
      const { agent } = reflex.keeps(handle.run)
      runHeader(session, handle, [
        ...takenOver(row, session.console.world),
        counted(handle.run.state.n, 'record'),
        ...keptText(decidesIn(handle, agent, reflex.models.name())),
      ])
    },
    first: async (handle) => {
      await handle.idle()
      await retryFailures(handle, reflex.actor)
    },
  })
}

function keptText(text: string): string[] {
  return text === '' ? [] : [`keeps ${text}`]
}

function takenOver({ owner }: RunRow, world: World): string[] {
  const us = world.surroundings.worker
  if (owner === null || owner.id === us.id) return []
  return [
    `taken over from process ${owner.pid}${owner.host === us.host ? '' : ` on ${owner.host}`}, which is ${world.alive(owner) ? 'silent' : 'gone'}`,
  ]
}
