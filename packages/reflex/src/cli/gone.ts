import { askerIn, type OpenWait, type RunRow } from '../kernel/index.ts'
import { BUDGET } from '../policy/index.ts'
import type { Rows } from './rows.ts'

/** The runs among these that say `running` and whose process is gone: they wait for a process (experience 2). */
export async function goneRuns({ store, console }: Rows, rows: readonly RunRow[]): Promise<ReadonlySet<string>> {
  const running = rows.filter(({ status }) => status === 'running')
  if (running.length === 0) return new Set()
  const due = new Set(await store.due(console.now))
  const gone = new Set<string>()
  for (const { id, owner } of running) {
    if (owner === null || !console.world.alive(owner)) gone.add(id)
    // A run that a living process holds is never due.
    else if (due.has(id)) gone.add(id)
  }
  return gone
}

/** A fork that nobody has told to go on: suspended, and neither a question is open nor anything due. */
function isHeld({ due, waits }: RunRow): boolean {
  return (
    waits.every(({ type }) => type !== 'answer') && (waits.length === 0 || (due === null && waits.some((wait) => wait.due !== undefined)))
  )
}

/** `a person (q1, q2)`; nothing where nobody is asked. */
function questions(who: string, asked: readonly OpenWait[]): string[] {
  return asked.length === 0 ? [] : [`${who} (${asked.map(({ number }) => `q${number}`).join(', ')})`]
}

/** What a run waits for, in words: `a person (q1)`, `a budget (q2)`, `a process, 4121 is gone`. */
export function waitsFor(row: RunRow, gone: boolean): string {
  if (gone && row.last === 0) return 'nothing, it never began'
  if (gone) return row.owner === null ? 'a process' : `a process, ${row.owner.pid} is gone`
  if (row.status === 'running') return row.owner === null ? '' : `process ${row.owner.pid} on ${row.owner.host}`
  if (row.status !== 'suspended') return ''
  if (isHeld(row)) return 'a person to resume it'
  const failed = row.waits.filter((wait) => askerIn(wait) === 'retry').map(({ path }) => `a remedy at ${path}`)
  const asked = row.waits.filter((wait) => wait.type === 'answer' && askerIn(wait) !== 'retry')
  const [more, people] = [asked.filter(({ name }) => name === BUDGET), asked.filter(({ name }) => name !== BUDGET)]
  const parts = [...failed, ...questions('a budget', more), ...questions('a person', people)]
  if (parts.length > 0) return parts.join(', ')
  const topics = [...new Set(row.waits.flatMap(({ type, name }) => (type === 'message' ? [name] : [])))]
  return topics.length === 0 ? 'a time' : `the message ${topics.join(', ')}`
}
