import { decodeBatch, encodeRecord, type Rec, type Store } from '../../src/kernel/index.ts'

/** What is changed of a run that was written by somebody else. */
export interface Forgery {
  /** The record, by its number, and what stands in its place. */
  readonly record?: number
  readonly change?: (record: Rec) => Rec
  /** Lies about the state, by the number of the record that they follow. */
  readonly snapshots?: Readonly<Record<number, string>>
  /** Lies of the list. */
  readonly row?: object
}

const WORKER = { id: 'forger', host: 'forger.example.org', pid: 4_000_000 }

/** Writes a run once more under another name, through the front door of the store, with something changed. */
export async function forge(store: Store, from: string, to: string, forgery: Forgery, into: Store = store): Promise<void> {
  const stored = await store.read(from, 0)
  if (stored === undefined) throw new Error(`no run ${from}`)
  const { row } = stored
  const batches = await store.journal(from)
  const records = batches.flatMap(({ version, body }) => decodeBatch(version, body, () => 'null'))
  await into.hello(WORKER, row.updated, 1000)
  const lease = await into.create({ ...row, id: to }, WORKER)
  if (lease === 'taken') throw new Error(`${to} is taken`)
  const changed = records.map((record, i) => (i + 1 === forgery.record ? (forgery.change?.(record) ?? record) : record))
  const cuts = [...new Set([...Object.keys(forgery.snapshots ?? {}).map(Number), records.length])].sort((a, b) => a - b)
  let first = 1
  for (const cut of cuts) {
    const body = `[${changed
      .slice(first - 1, cut)
      .map((record) => encodeRecord(record).text)
      .join(',')}]`.replaceAll(from, to)
    const snapshot = forgery.snapshots?.[cut]
    const last = {
      status: row.status,
      updated: row.updated,
      due: row.due,
      waits: row.waits,
      ...(row.value === undefined ? {} : { value: row.value }),
    }
    const refused = await into.commit([
      {
        lease,
        first,
        count: cut - first + 1,
        version: 1,
        body,
        row: { ...last, ...forgery.row },
        ...(snapshot === undefined ? {} : { snapshot }),
      },
    ])
    if (refused.length > 0) throw new Error('the forger is refused')
    first = cut + 1
  }
  await into.release(lease)
}
