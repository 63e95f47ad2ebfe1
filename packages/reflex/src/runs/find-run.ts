import { faults, type Host, noRecord, type RunRow, runName, type Store } from '../kernel/index.ts'

/** Returns the run of an id, of a prefix that only its id has, of a trace id, or of `last`. Throws `R2016`. */
export async function findRun(store: Store, ref: string): Promise<RunRow> {
  if (ref === 'last') {
    const [newest] = await store.runs({ limit: 1 })
    if (newest !== undefined) return newest
    throw faults.make('R2016', 'the store has no runs', { fix: 'reflex run FILE' })
  }
  // A whole id is looked up first, because it may be a prefix of other ids.
  const exact = ref === '' ? undefined : (await store.read(ref, 0))?.row
  if (exact !== undefined && exact.last > 0) return exact
  const rows = ref === '' ? [] : await store.runs({ prefix: ref, limit: 10 })
  const [single] = rows
  if (single !== undefined && rows.length === 1) return single
  const message = rows.length === 0 ? `there is no run ${ref}` : `${rows.length} runs have ids that begin with ${ref}`
  throw faults.make('R2016', message, {
    fix: rows.length === 0 ? fixFor(ref) : `name one of ${rows.map(({ id }) => id).join(', ')}`,
  })
}

/** Returns a name that no run of the store has. */
export async function unusedRunName({ host, store }: { readonly host: Host; readonly store: Store }): Promise<string> {
  for (;;) {
    const name = runName(host.entropy())
    if ((await store.read(name, 0)) === undefined) return name
  }
}

/** Returns a run and checks that it has the record `at`, if one is given. Throws `R2016` and `R2021`. */
export async function findRecord(store: Store, ref: string, at: number | undefined): Promise<RunRow> {
  const row = await findRun(store, ref)
  if (at !== undefined && (!Number.isInteger(at) || at < 1 || at > row.last)) throw noRecord(row.id, row.last, at)
  return row
}

/** Returns the command to type. A run can be resumed only from its last record; a fork continues from an earlier one. */
function fixFor(ref: string): string {
  return /.@\d+$/.test(ref) ? `reflex fork ${ref}` : 'reflex runs'
}
