import { digest, isObject, type Json } from '../../kernel/index.ts'
import { MOST_ROWS, type Telemetry, telemetry } from '../../kinds/skill/control/messages.ts'
import { senderOf } from '../../kinds/skill/control/sender.ts'
import { z } from 'zod'
import type { ControlledProject } from './control-plane.ts'
import { readUsage, type Window } from './usage.ts'

/** Older runs are not reported any more. */
const MOST_AGE = 7 * 86_400_000
/** The most rows of one report in all its messages. */
const MOST_SENT = 10_000

/**
 * Reports what skills did since the last report that arrived. The journals are the outbox: what could not be sent is counted from them again, for
 * seven days. Returns the number of rows. Throws `R2170` and `R2172`; then the next report begins where this one did.
 */
export async function reportUsage(project: ControlledProject): Promise<number> {
  const { until, pending } = readReported(await project.registry.remembered('reported'))
  // A window whose report may have arrived is reported again as it was: the control plane knows it by its key.
  const earlier = pending === undefined ? 0 : await reportWindow(project, { from: until, to: pending })
  return earlier + (await reportWindow(project, { from: pending ?? until, to: project.host.now() }))
}

function readReported(value: Json | undefined): { readonly until: number; readonly pending?: number } {
  const { until, pending } = isObject(value) ? value : {}
  return { until: typeof until === 'number' ? until : 0, ...(typeof pending === 'number' ? { pending } : {}) }
}

async function reportWindow({ client, registry, store, project, env }: ControlledProject, window: Window): Promise<number> {
  const { to } = window
  const from = Math.max(window.from, to - MOST_AGE)
  await registry.remember('reported', { until: window.from, pending: to })
  const usage = await readUsage(store, { from, to }, await registry.list())
  const rows = usage.rows.slice(0, MOST_SENT)
  for (let first = 0; first < rows.length; first += MOST_ROWS) {
    // The schema is strict: a field that is not in it does not leave this process.
    const body: Telemetry = telemetry.parse({
      ...senderOf(project),
      env,
      window: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
      skills: rows.slice(first, first + MOST_ROWS),
    })
    await client.request({ method: 'POST', path: '/v1/telemetry', body, key: digest(JSON.stringify(body)), answer: z.looseObject({}) })
  }
  await registry.remember('reported', { until: to })
  return rows.length
}
