import { dumpState, encodeRecord, FORMAT, type Rec, RunPrograms, State, type Store, storedProgram } from '../../../src/kernel/index.ts'
import type { Reflex } from '../../../src/app/reflex.ts'

const WORKER = { id: 'sealer', host: 'elsewhere.example.org', pid: 1 }

/** Stores the records of a run as another run, with these records as the last ones of its sealed segments. */
export async function sealedCopy(from: Reflex, run: string, to: Store, id: string, seals: readonly number[]): Promise<void> {
  const { records, row } = await from.runtime.history(run)
  const named = records.map((record, i) => (i === 0 ? withName(record, id) : record))
  const state = new State()
  const definitions = new RunPrograms(from.runtime.programs, state)
  await to.hello(WORKER, row.updated, 1000)
  const { trace, program, status, started, updated, due, waits, value } = row
  const lease = await to.create({ id, trace, program, status, started, updated, due, waits }, WORKER)
  if (lease === 'taken') throw new Error(`${id} is taken`)
  let first = 1
  for (const last of new Set([...seals, records.length])) {
    const encoded = named.slice(first - 1, last).map(encodeRecord)
    for (const record of named.slice(first - 1, last)) state.apply(record)
    const programs = state.pins.map((_, pin) => storedProgram(definitions.program(pin)))
    const hasHistory = (pin: number): boolean => definitions.kind(definitions.program(pin).kind).board?.history === true
    const snapshot = JSON.stringify(dumpState(state, hasHistory))
    const refused = await to.commit([
      {
        lease,
        first,
        count: encoded.length,
        version: FORMAT,
        body: `[${encoded.map(({ text }) => text).join(',\n')}]`,
        row: { status, updated, due, waits, ...(value === undefined ? {} : { value }) },
        programs,
        blobs: new Map(encoded.flatMap(({ blobs }) => [...(blobs ?? [])])),
        ...(seals.includes(last) ? { snapshot, seal: true } : {}),
      },
    ])
    if (refused.length > 0) throw new Error(`${id} was refused`)
    first = last + 1
  }
  await to.release(lease)
}

function withName(record: Rec, run: string): Rec {
  const { more } = record
  return more?.start === undefined ? record : { ...record, more: { ...more, start: { ...more.start, run } } }
}

/** Packs and forgets the segments of a run up to this one, as if they were in an archive. */
export async function forgotten(store: Store, run: string, through: number, archive: string): Promise<void> {
  for (let number = 1; number <= through; number++) await store.pack(run, number)
  await store.forget(run, through, archive)
}

/** A store that counts the records that are read, and refuses to read a whole journal at once. */
export function watchedStore(store: Store): { readonly store: Store; readonly read: () => number } {
  let read = 0
  const watched = new Proxy(store, {
    get(target, name) {
      if (name === 'journal') throw new Error('the whole journal is read at once')
      if (name === 'batches')
        return async function* (...args: Parameters<Store['batches']>) {
          for await (const batch of target.batches(...args)) {
            read += batch.count
            yield batch
          }
        }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  return { store: watched, read: () => read }
}
