import { BUILT_IN } from '../../app/kinds.ts'
import type { RunRow, Store } from '../../kernel/index.ts'
import { counted } from '../../protocol/plain.ts'
import { abandonedRuns } from '../../runs/abandoned-runs.ts'
import type { Console } from '../console.ts'

interface InterruptedCheck {
  readonly name: 'turns'
  readonly mark: 'warns'
  readonly text: string
  readonly fix: string
}

/** Returns a warning about runs that only their own process could continue, and whose process has ended: no worker takes them. */
export async function interruptedChecks({ now, world }: Console, store: Store, rows: readonly RunRow[]): Promise<InterruptedCheck[]> {
  const hosted = rows.filter(({ program }) => BUILT_IN.isHosted(program[1]))
  const gone = await abandonedRuns(store, { now, isAlive: (worker) => world.isAlive(worker) }, hosted)
  const [first, ...others] = hosted.flatMap(({ id }) => (gone.has(id) ? [id] : []))
  if (first === undefined) return []
  const more = others.length === 0 ? '' : ` and ${others.length} more: reflex runs --status running`
  return [
    {
      name: 'turns',
      mark: 'warns',
      text: `${counted(others.length + 1, 'interrupted turn')}: ${first}${more}`,
      fix: `in the program that wraps the agent: await wrapped.resume('${first}')`,
    },
  ]
}
