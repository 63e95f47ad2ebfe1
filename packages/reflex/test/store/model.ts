import {
  array,
  assert as check,
  asyncProperty,
  boolean,
  constantFrom,
  integer,
  nat,
  noBias,
  oneof,
  option,
  record,
  string,
  tuple,
  uniqueArray,
  type Arbitrary,
} from 'fast-check'
import { expect } from 'vitest'
import { isFault } from '../../src/kernel/journal/fault.ts'
import type { Awaitable, Lease, NewEntry, RunStatus, Store } from '../../src/kernel/ports/store.ts'
import { memoryStore } from '../../src/store/index.ts'
import { batchOf, messageOf, rowChange, NOW, rowOf, workerOf } from '../../src/testing/store-suite/world.ts'

/** A store and its leases, the newest last, at the same positions in both stores. */
interface Side {
  readonly store: Store
  readonly leases: Lease[]
}

interface Step {
  readonly say: string
  readonly perform: (side: Side, prefix: string) => Awaitable<unknown>
}

const WORKERS = ['ana', 'bo', 'cy'].map((id) => workerOf(id))
const RUNS = ['otter-1', 'otter-2', 'newt-1']
const STATUSES: readonly RunStatus[] = ['running', 'running', 'suspended', 'completed', 'failed', 'cancelled']
const run = constantFrom(...RUNS)
const worker = constantFrom(...WORKERS)
const status = constantFrom(...STATUSES)
const time = integer({ min: NOW, max: NOW + 30 })
const trace = noBias(nat()).map((drawn) => drawn.toString(16).padStart(32, '0'))
const text = string({ unit: 'grapheme', maxLength: 8 })

/** The milliseconds that a worker may be silent; the times of the steps are below and above it. */
const SILENCE = 10

const step = <Given extends unknown[]>(
  name: string,
  given: Arbitrary<Given>,
  perform: (side: Side, id: (run: string) => string, ...given: Given) => Awaitable<unknown>,
): Arbitrary<Step> =>
  given.map((values) => ({
    say: `${name} ${JSON.stringify(values)}`,
    perform: (side, prefix) => perform(side, (name) => `${prefix}${name}`, ...values),
  }))

async function remember(side: Side, lease: Lease | undefined): Promise<void> {
  if (lease !== undefined) side.leases.push(lease)
}

/** A batch under one of the leases so far: mostly with the right number, sometimes not, and for any of them. */
async function batchFor(
  side: Side,
  pick: number,
  slip: number,
  parts: { status: RunStatus; count: number; snapshot: boolean; seal: boolean; due: number | null; value: string | null },
) {
  const lease = side.leases.at(-1 - (pick % Math.max(1, side.leases.length)))
  if (lease === undefined) return undefined
  const last = (await side.store.read(lease.run))?.row.last ?? 0
  const { count, due, value } = parts
  return batchOf(lease, last + 1 + (slip === 0 ? 1 : 0), {
    count,
    row: rowChange({ status: parts.status, due, updated: NOW + last, ...(value === null ? {} : { value }) }),
    ...(parts.snapshot || parts.seal ? { snapshot: `${lease.run} ${last + count}` } : {}),
    ...(parts.seal ? { seal: true } : {}),
    taken: (await side.store.inbox(lease.run)).slice(0, count - 1).map(({ row }) => row),
  })
}

/** The state that a run begins with instead of records. */
const base = record({ at: integer({ min: 1, max: 4 }), chain: nat(), snapshot: text })

const parts = record({
  status,
  count: integer({ min: 1, max: 3 }),
  snapshot: boolean(),
  seal: boolean(),
  due: option(time),
  value: option(text),
})

const ledger = constantFrom('a', 'b')
const entryName = constantFrom('x', 'y', 'Z', 'ü')
const entries: Arbitrary<readonly NewEntry[]> = uniqueArray(
  oneof(
    record({ value: text }),
    record({ name: entryName }),
    record({ name: entryName, value: text }),
    record({ name: entryName, value: text, after: nat(5) }),
  ),
  { maxLength: 3, selector: (entry) => ('name' in entry ? entry.name : entry) },
)

const steps: Arbitrary<Step> = oneof(
  step('hello', tuple(worker, time), ({ store }, _id, who, now) => store.hello(who, now, SILENCE)),
  step('beat', tuple(worker, time, nat(3)), ({ store, leases }, _id, who, now, asked) =>
    store.beat(who, now, asked === 0 ? undefined : leases.slice(-asked)),
  ),
  // No two runs share a trace: a store uses it to recognize a creation whose answer was lost.
  step(
    'create',
    tuple(run, worker, status, time, trace, option(base, { freq: 3 })),
    async (side, id, name, who, how, started, trace, base) => {
      const begins = base === null ? {} : { base }
      const lease = await side.store.create({ ...rowOf(id(name), { status: how, started, trace }), ...begins }, who)
      await remember(side, lease === 'taken' ? undefined : lease)
      return lease
    },
  ),
  step('claim', tuple(run, worker, time), async (side, id, name, who, now) => {
    const claim = await side.store.claim(id(name), who, now)
    await remember(side, 'lease' in claim ? claim.lease : undefined)
    return claim
  }),
  step('release', tuple(nat(5)), async ({ store, leases }, _id, pick) => {
    const lease = leases.at(-1 - pick)
    return lease === undefined ? undefined : store.release(lease)
  }),
  ...[1, 2, 3].map((many) =>
    step('commit', tuple(array(tuple(nat(4), nat(6), parts), { minLength: many, maxLength: many })), async (side, _id, wanted) => {
      const batches = await Promise.all(wanted.map(async ([pick, slip, more]) => batchFor(side, pick, slip, more)))
      return side.store.commit(batches.filter((batch) => batch !== undefined))
    }),
  ),
  step('post', tuple(run, constantFrom('m1', 'm2', 'm3'), constantFrom('2w', '3w'), text), ({ store }, id, name, message, to, body) =>
    store.post(id(name), messageOf(message, { to, body })),
  ),
  step(
    'postAll',
    tuple(run, array(tuple(constantFrom('m1', 'm2', 'm3', 'm4'), constantFrom('2w', '3w'), text), { maxLength: 3 }), option(nat(2))),
    async ({ store }, id, name, list, most) => {
      const messages = list.map(([message, to, body]) => messageOf(message, { to, body, type: body.length > 4 ? 'answer' : 'message' }))
      const results = await store.postAll(id(name), messages, most === null ? undefined : { most })
      return results.map((result) => (isFault(result) ? result.code : result))
    },
  ),
  step('inbox', tuple(run), ({ store }, id, name) => store.inbox(id(name))),
  step('due', tuple(time), ({ store }, _id, now) => store.due(now)),
  step('read', tuple(run, option(nat(9))), ({ store }, id, name, until) => store.read(id(name), until ?? undefined)),
  step('segments', tuple(run), ({ store }, id, name) => store.segments(id(name))),
  step('segment', tuple(run, nat(4)), ({ store }, id, name, number) => store.segment(id(name), number)),
  step('pack', tuple(run, nat(4)), ({ store }, id, name, number) => store.pack(id(name), number)),
  step('forget', tuple(run, nat(3), text), ({ store }, id, name, through, archive) => store.forget(id(name), through, archive)),
  step('journal', tuple(run, option(nat(9))), ({ store }, id, name, from) => store.journal(id(name), from ?? undefined)),
  step(
    'runs',
    tuple(option(array(status)), option(constantFrom('otter', 'n', '5'.repeat(32), 'x')), option(nat(3))),
    ({ store }, id, statuses, prefix, limit) =>
      store.runs({ ...(statuses === null ? {} : { status: statuses }), prefix: id(prefix ?? ''), ...(limit === null ? {} : { limit }) }),
  ),
  step('append', tuple(ledger, constantFrom('k1', 'k2', 'k3'), text, time), ({ store }, id, name, key, value, at) =>
    store.append(id(name), key, value, at),
  ),
  step(
    'appendAll',
    tuple(ledger, constantFrom('k1', 'k2', 'k4', 'k5'), entries, time, option(nat(9))),
    ({ store }, id, name, key, drawn, at, keep) => store.appendAll(id(name), key, drawn, at, keep === null ? {} : { keep }),
  ),
  step('ledger', tuple(ledger, nat(3), option(nat(2))), ({ store }, id, name, after, limit) =>
    store.ledger(id(name), after, limit ?? undefined),
  ),
  step('latest', tuple(ledger, option(array(entryName))), ({ store }, id, name, names) => store.latest(id(name), names ?? undefined)),
  step('compact', tuple(ledger, oneof(record({ before: time }), record({ through: nat(9) }))), ({ store }, id, name, compaction) =>
    store.compact(id(name), compaction),
  ),
)

async function answerOf(side: Side, { perform }: Step, prefix: string): Promise<unknown> {
  try {
    return await perform(side, prefix)
  } catch (thrown) {
    if (isFault(thrown)) return { thrown: thrown.code }
    throw thrown
  }
}

/** The numbers of leases and messages may differ between stores. */
function withoutNumbers(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(withoutNumbers)
  if (typeof answer !== 'object' || answer === null) return answer
  const { row, token: _token, ...rest } = answer as Readonly<Record<string, unknown>>
  const shown = typeof row === 'object' ? { ...rest, row } : rest
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, withoutNumbers(value)]))
}

/**
 * Checks that a store answers any sequence of calls as the memory store does. Each sequence uses its own names. `once`: a
 * failed sequence is not shortened, because the same sequence can have another result.
 */
export async function answersAsMemory(store: Store, numRuns: number, once = false): Promise<void> {
  const memory = memoryStore()
  let sequence = 0
  await check(
    asyncProperty(array(steps, { minLength: 5, maxLength: 60 }), async (sequenceOfSteps) => {
      sequence++
      const sides = [memory, store].map((store): Side => ({ store, leases: [] }))
      for (const { store } of sides) for (const who of WORKERS.slice(0, 2)) await store.hello(who, NOW, SILENCE)
      for (const each of sequenceOfSteps) {
        const [expected, answered] = await Promise.all(sides.map(async (side) => answerOf(side, each, `${sequence}:`)))
        expect(withoutNumbers(answered), each.say).toEqual(withoutNumbers(expected))
      }
    }),
    { numRuns, endOnFailure: once },
  )
}
