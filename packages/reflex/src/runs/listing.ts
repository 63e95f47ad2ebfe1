import type { RunFilter, RunRow, RunStatus, Store } from '../kernel/index.ts'
import { abandonedRuns, type Processes } from './abandoned-runs.ts'

/** The most rows that are read at once where a filter depends on the processes. */
const PAGE = 200

/** Runs as a list shows them. */
export interface RunList {
  readonly rows: readonly RunRow[]
  /** The runs whose process is gone. They are stored as running and shown as suspended. */
  readonly gone: ReadonlySet<string>
  readonly more: boolean
}

/**
 * Returns runs as lists show them, the newest first: those with a status that they are shown with. The store filters; only the statuses
 * `running` and `suspended` also depend on the processes. Throws `R2016` for an unknown run `after`.
 */
export async function listRuns(store: Store, processes: Processes, { limit = 50, status, ...filter }: RunFilter): Promise<RunList> {
  const wanted = status === undefined ? undefined : new Set<RunStatus>(status)
  const dependsOnProcesses = wanted !== undefined && wanted.has('running') !== wanted.has('suspended')
  const stored = wanted?.has('suspended') === true ? [...wanted.add('running')] : status
  const asked = dependsOnProcesses ? new Set(status) : undefined
  const rows: RunRow[] = []
  const gone = new Set<string>()
  let after = filter.after
  for (let isWhole = false; !isWhole && rows.length <= limit; ) {
    const most = dependsOnProcesses ? Math.max(PAGE, limit + 1) : limit + 1 - rows.length
    const page = await store.runs({
      ...filter,
      ...(stored === undefined ? {} : { status: stored }),
      ...(after === undefined ? {} : { after }),
      limit: most,
    })
    for (const id of await abandonedRuns(store, processes, page)) gone.add(id)
    rows.push(...page.filter(({ id, status: is }) => asked?.has(gone.has(id) ? 'suspended' : is) !== false))
    isWhole = page.length < most
    after = page.at(-1)?.id
  }
  return { rows: rows.slice(0, limit), gone, more: rows.length > limit }
}
