import { abandonedRuns as abandonedIn } from '../runs/abandoned-runs.ts'
import { askerOf, type OpenWait, type RunRow } from '../kernel/index.ts'
import type { StoreSession } from './store-session.ts'

/** Returns the runs among `rows` that have the status `running` and whose process is gone. */
export function abandonedRuns({ store, console }: StoreSession, rows: readonly RunRow[]): Promise<ReadonlySet<string>> {
  return abandonedIn(store, { now: console.now, isAlive: (worker) => console.world.isAlive(worker) }, rows)
}

/** True if a run is a fork that nobody has resumed: it is suspended, no question is open and nothing is due. */
function isIdleFork({ due, waits }: RunRow): boolean {
  return (
    waits.every(({ type }) => type !== 'answer') && (waits.length === 0 || (due === null && waits.some((wait) => wait.due !== undefined)))
  )
}

/** Returns `a person (q1, q2)`; nothing if there is no question. */
function questionList(who: string, asked: readonly OpenWait[]): string[] {
  return asked.length === 0 ? [] : [`${who} (${asked.map(({ number }) => `q${number}`).join(', ')})`]
}

/** Returns the reason why a run waits: `a person (q1)`, `a budget (q2)`, `a process, 4121 is gone`. */
export function waitReason(row: RunRow, gone: boolean): string {
  if (gone && row.last === 0) return 'nothing, it never began'
  if (gone) return row.owner === null ? 'a process' : `a process, ${row.owner.pid} is gone`
  if (row.status === 'running') return row.owner === null ? '' : `process ${row.owner.pid} on ${row.owner.host}`
  if (row.status !== 'suspended') return ''
  if (isIdleFork(row)) return 'a person to resume it'
  const failed = row.waits.filter((wait) => askerOf(wait) === 'retry').map(({ path }) => `a remedy at ${path}`)
  const asked = row.waits.filter((wait) => wait.type === 'answer' && askerOf(wait) !== 'retry')
  const [more, people] = [asked.filter((wait) => askerOf(wait) === 'budget'), asked.filter((wait) => askerOf(wait) !== 'budget')]
  const parts = [...failed, ...questionList('a budget', more), ...questionList('a person', people)]
  if (parts.length > 0) return parts.join(', ')
  const topics = [...new Set(row.waits.flatMap(({ type, name }) => (type === 'message' ? [name] : [])))]
  return topics.length === 0 ? 'a time' : `the message ${topics.join(', ')}`
}
