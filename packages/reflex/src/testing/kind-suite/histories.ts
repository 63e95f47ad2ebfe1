import { encodeRecord } from '../../kernel/codec.ts'
import type { Json } from '../../kernel/json.ts'
import { FORMAT, type Rec } from '../../kernel/record.ts'
import { summary } from '../../kernel/row.ts'
import type { Runtime } from '../../kernel/runtime.ts'
import type { State } from '../../kernel/state.ts'
import type { Store } from '../../kernel/store.ts'
import { memoryStore } from '../../store/memory.ts'
import { RUN } from './life.ts'
import type { KindSubject } from './subject.ts'
import type { Watch } from './watch.ts'

/** The undisturbed run, whose world had these ledgers. */
export interface Reference {
  readonly runtime: Runtime
  readonly store: Store
  readonly ledgers: ReadonlySet<string>
}

/**
 * A store as it is after a crash that left the first records of a journal and nothing more: messages that they
 * took are gone from the inbox, the others still wait there.
 */
export async function storeAfter(
  records: readonly Rec[],
  state: State,
  original: Reference,
  subject: KindSubject,
  watch: Watch,
): Promise<Store> {
  const { runtime } = original
  const store = memoryStore()
  const [first] = records
  const start = first?.more?.start
  const [pin] = start?.pins ?? []
  if (start === undefined || pin === undefined) throw new Error('the journal has no first record')
  const worker = { id: 'gone', host: 'suite', pid: 0 }
  await store.hello(worker, start.at, 1)
  const opening = {
    id: RUN,
    trace: start.trace,
    program: pin,
    status: 'running' as const,
    started: start.at,
    updated: start.at,
    due: null,
    waits: [],
  }
  const lease = await store.create(opening, worker)
  if (lease === 'taken') throw new Error('the store is not new')
  const heard = new Set<string>()
  records.forEach((record, i) => {
    watch.durable(i + 1, record)
    if (record.input?.[0] === 'message') heard.add(record.input[3] ?? '')
  })
  for (const [i, { topic, body }] of (subject.script?.messages ?? []).entries())
    await store.post(RUN, { id: `m${i}`, type: 'message', to: topic, body, at: start.at })
  const taken = (await store.inbox(RUN)).filter(({ id }) => heard.has(id)).map(({ row }) => row)
  await copyLedgers(original, store, watch)
  const programs = state.pins.flatMap(([, kind, , hash]) => {
    const program = runtime.programs.byHash(hash)
    return program === undefined ? [] : [{ hash, kind, source: JSON.stringify(program.source) }]
  })
  const encoded = records.map(encodeRecord)
  const blobs = new Map(encoded.flatMap(({ blobs: own }) => [...(own ?? [])]))
  const definitions = {
    program: (index: number) => programOf(runtime, state, index),
    kind: (name: string) => runtime.programs.kind(name),
    find: () => undefined,
    compile: (kind: string, id: string, source: Json) => runtime.programs.add(kind, id, source),
  }
  const refused = await store.commit([
    {
      lease,
      first: 1,
      count: records.length,
      version: FORMAT,
      body: `[${encoded.map(({ text }) => text).join(',\n')}]`,
      row: summary(state, definitions, 'running'),
      programs,
      blobs,
      taken,
    },
  ])
  if (refused.length > 0) throw new Error('the store refused the journal')
  await store.release(lease)
  return store
}

/** What settled effects have appended is there; what was in flight has not happened. */
async function copyLedgers({ store, ledgers }: Reference, copy: Store, watch: Watch): Promise<void> {
  for (const name of ledgers) {
    for (const { key, value, at } of await store.ledger(name))
      if (watch.settled(key.slice(RUN.length + 1))) await copy.append(name, key, value, at)
  }
}

function programOf(runtime: Runtime, state: State, index: number): NonNullable<ReturnType<Runtime['programs']['byHash']>> {
  const [name = '', , , hash = ''] = state.pins[index] ?? []
  const program = runtime.programs.byHash(hash)
  if (program === undefined) throw new Error(`${name} is not known`)
  return program
}
