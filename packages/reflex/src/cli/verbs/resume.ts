import { faults } from '../../runs/faults.ts'
import type { RunHandle } from '../../runs/handle.ts'
import { askerOf, copyJson, type RunRow } from '../../kernel/index.ts'
import type { RunLimits } from '../../policy/index.ts'
import { readBudget } from '../budget.ts'
import { driveRun, retryFailures } from '../drive-run.ts'
import { deciderText, runHeader } from '../header.ts'
import type { RunFlags } from '../options.ts'
import { readAgents } from '../start-options.ts'
import type { Session } from '../session.ts'
import { counted } from '../../protocol/plain.ts'
import type { World } from '../world.ts'

/** `reflex resume RUN`: continues a run under the settings with which it was started, and prints them. */
export async function resume(session: Session, ref: string, flags: Omit<RunFlags, 'input'>): Promise<number> {
  const { reflex, readDecisionFile } = session
  const agent = await readAgents(flags.agent ?? [], readDecisionFile)
  const limits = flags.budget === undefined ? undefined : readBudget(flags.budget)
  const row = await reflex.find(ref)
  // A failure that is tried again may then ask for a larger budget.
  const hasEnded = row.status !== 'running' && row.status !== 'suspended'
  if (limits !== undefined && !hasEnded && !row.waits.some((wait) => ['budget', 'retry'].includes(askerOf(wait)))) throw notSpent(row.id)
  return driveRun(session, flags, {
    open: (prepare) =>
      reflex.resume(row.id, {
        prepare,
        ...(agent === undefined ? {} : { agent }),
        ...(flags.model === undefined ? {} : { model: flags.model }),
        ...(flags.recorded === undefined ? {} : { recorded: flags.recorded }),
      }),
    header: (handle) => {
      const { agent } = handle.run.settings
      runHeader(session, handle, [
        ...takenOver(row, session.console.world),
        counted(handle.run.state.n, 'record'),
        ...keepsText(deciderText(handle, agent, reflex.models.name())),
      ])
    },
    beforeContinue: async (handle) => {
      await handle.idle()
      await retryFailures(handle, reflex.actor)
      if (limits !== undefined) await raiseBudget(handle, limits, reflex.actor)
    },
  })
}

/** Answers the questions of a run that waits because its budget is spent. Throws `R2031` if it does not. */
async function raiseBudget(handle: RunHandle, limits: RunLimits, by: string): Promise<void> {
  await handle.idle()
  const asked = handle.questions.filter(({ asker }) => asker === 'budget')
  if (asked.length === 0) throw notSpent(handle.id)
  for (const question of asked) await handle.answer(question, copyJson(limits, '--budget'), by)
}

function notSpent(run: string): Error {
  return faults.make('R2031', `the budget of ${run} is not spent, so --budget has no effect`, { run, fix: `reflex resume ${run}` })
}

function keepsText(text: string): string[] {
  return text === '' ? [] : [`keeps ${text}`]
}

function takenOver({ owner }: RunRow, world: World): string[] {
  const self = world.surroundings.worker
  if (owner === null || owner.id === self.id) return []
  return [
    `taken over from process ${owner.pid}${owner.host === self.host ? '' : ` on ${owner.host}`}, which is ${world.isAlive(owner) ? 'silent' : 'gone'}`,
  ]
}
