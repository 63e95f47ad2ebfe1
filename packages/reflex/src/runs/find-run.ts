import { faults, noRecord, type RunRow, type Store } from '../kernel/index.ts'

/** A run by its id, a prefix that only it has, its trace id, or `last`. Throws `R2016`. */
export async function findRun(store: Store, ref: string): Promise<RunRow> {
  if (ref === 'last') {
    const [newest] = await store.runs({ limit: 1 })
    if (newest !== undefined) return newest
    throw faults.make('R2016', 'the store has no runs', { fix: 'reflex run FILE' })
  }
  // A whole name is looked up by itself: it may begin the names of any number of others.
  const exact = ref === '' ? undefined : (await store.read(ref, 0))?.row
  if (exact !== undefined && exact.last > 0) return exact
  const rows = ref === '' ? [] : await store.runs({ prefix: ref, limit: 10 })
  const [single] = rows
  if (single !== undefined && rows.length === 1) return single
  const message = rows.length === 0 ? `no run is called ${ref}` : `${ref} begins the names of ${rows.length} runs`
  throw faults.make('R2016', message, {
    fix: rows.length === 0 ? fixFor(ref) : `name one of ${rows.map(({ id }) => id).join(', ')}`,
  })
}

/** A run that has a record of this number, where one is named. Throws `R2016` and `R2021`. */
export async function findRecord(store: Store, ref: string, at: number | undefined): Promise<RunRow> {
  const row = await findRun(store, ref)
  if (at !== undefined && (!Number.isInteger(at) || at < 1 || at > row.last)) throw noRecord(row.id, row.last, at)
  return row
}

/** Only whole runs go on: from a record, a fork does. */
function fixFor(ref: string): string {
  return /.@\d+$/.test(ref) ? `reflex fork ${ref}` : 'reflex runs'
}
