import type { Reflex } from '../app/reflex.ts'

/** Releases the runs of this process: their decisions are durable, effects get time to end, and any process can continue them. */
export async function leaveAll({ runtime, host }: Reflex, grace: number): Promise<void> {
  const open = [...runtime.openRuns.values()]
  const drained = Promise.all(open.map((run) => run.drain().catch(() => undefined)))
  if (grace > 0 && open.length > 0) await Promise.race([drained, new Promise<void>((resolve) => void host.at(host.now() + grace, resolve))])
  await Promise.all(open.map((run) => run.leave()))
}
