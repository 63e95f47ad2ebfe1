import { BUILT_IN } from '../../app/kinds.ts'
import type { RunRow, Store } from '../../kernel/index.ts'
import { abandonedRuns } from '../../runs/abandoned-runs.ts'
import type { Console } from '../console.ts'

/** Returns the runs that only their own process could continue, and whose process has ended: no worker takes them. */
export async function interruptedRuns({ now, world }: Console, store: Store, rows: readonly RunRow[]): Promise<readonly string[]> {
  const hosted = rows.filter(({ program }) => BUILT_IN.isHosted(program[1]))
  const gone = await abandonedRuns(store, { now, isAlive: (worker) => world.isAlive(worker) }, hosted)
  return hosted.flatMap(({ id }) => (gone.has(id) ? [id] : []))
}
