import {
  array,
  assert as check,
  asyncProperty,
  boolean,
  constantFrom,
  integer,
  nat,
  oneof,
  option,
  record,
  tuple,
  uniqueArray,
} from 'fast-check'
import { expect } from 'vitest'
import { isFault } from '../../src/kernel/journal/fault.ts'
import type { Appended, Compaction, LedgerEntry, NewEntry, Store } from '../../src/kernel/ports/store.ts'
import { NOW } from '../../src/testing/store-suite/world.ts'

/** A ledger as its rules describe it, in the plainest form. */
class LedgerModel {
  appends: LedgerEntry[][] = []
  last = 0
  floor = 0

  get entries(): LedgerEntry[] {
    return this.appends.flat()
  }

  current(name: string): LedgerEntry | undefined {
    const newest = this.entries.findLast((entry) => entry.name === name)
    return newest?.value === undefined ? undefined : newest
  }

  append(key: string, entries: readonly NewEntry[], at: number): Appended {
    const known = this.appends.find(([first]) => first?.key === key)
    if (known !== undefined) return { numbers: entries.map((_, i) => (known[0]?.seq ?? 0) + i) }
    for (const { name, after } of entries) {
      const newest = name === undefined ? undefined : this.current(name)
      if (name !== undefined && after !== undefined && (newest?.seq ?? 0) !== after)
        return { conflict: { name, ...(newest === undefined ? {} : { newest }) } }
    }
    const made = entries.map(({ after: _, ...entry }, i): LedgerEntry => ({ seq: this.last + i + 1, key, at, ...entry }))
    this.last += made.length
    if (made.length > 0) this.appends.push(made)
    return { numbers: made.map(({ seq }) => seq) }
  }

  read(after: number, limit: number): readonly LedgerEntry[] | 'R5056' {
    return after < this.floor ? 'R5056' : this.entries.filter(({ seq }) => seq > after).slice(0, limit)
  }

  latest(names: readonly string[]): readonly LedgerEntry[] {
    return names.flatMap((name) => this.current(name) ?? []).sort((a, b) => a.seq - b.seq)
  }

  compact(compaction: Compaction): number {
    const newest = new Map(this.entries.map(({ name, seq }) => [name, seq]))
    const isReplaced = ({ name, seq }: LedgerEntry) => name !== undefined && newest.get(name) !== seq
    /** Names with an entry that stays. */
    const kept = new Set<string | undefined>()
    const goes = (entry: LedgerEntry): boolean => {
      if (entry.seq === this.last) return false
      if ('before' in compaction) return entry.at <= compaction.before && isReplaced(entry)
      const isOver = entry.value === undefined && !kept.has(entry.name)
      return entry.seq <= compaction.through && (entry.name === undefined || isOver || isReplaced(entry))
    }
    const gone = this.appends.filter((append) => {
      if (append.every(goes)) return true
      for (const { name } of append) kept.add(name)
      return false
    })
    this.appends = this.appends.filter((append) => !gone.includes(append))
    for (const entry of gone.flat()) if (!isReplaced(entry)) this.floor = Math.max(this.floor, entry.seq)
    return gone.flat().length
  }
}

const NAMES = ['a', 'b', 'c', 'd']

const entry = record({
  name: option(constantFrom(...NAMES), { freq: 5 }),
  value: option(nat(9), { freq: 4 }),
  /** The condition: the current number, or another one. */
  condition: option(boolean(), { freq: 3 }),
})

const calls = oneof(
  {
    weight: 5,
    arbitrary: tuple(constantFrom('append'), nat(30), uniqueArray(entry, { maxLength: 3, selector: ({ name }) => name ?? {} }), nat(20)),
  },
  { weight: 2, arbitrary: tuple(constantFrom('ledger'), nat(20), integer({ min: 1, max: 9 })) },
  { weight: 2, arbitrary: tuple(constantFrom('latest'), option(uniqueArray(constantFrom(...NAMES, 'none')))) },
  { weight: 1, arbitrary: tuple(constantFrom('before', 'through'), nat(25)) },
)

/** Checks that a store keeps a ledger as the model does, in any sequence of calls. */
export async function ledgerAsModel(open: () => Store, numRuns: number): Promise<void> {
  let sequence = 0
  await check(
    asyncProperty(array(calls, { minLength: 5, maxLength: 60 }), async (sequenceOfCalls) => {
      const store = open()
      const [model, ledger] = [new LedgerModel(), `model ${++sequence}`]
      for (const call of sequenceOfCalls) {
        const said = `${JSON.stringify(call)} after ${JSON.stringify(model.entries)}`
        switch (call[0]) {
          case 'append': {
            const [, key, given, at] = call as readonly ['append', number, readonly Drawn[], number]
            const entries = given.map((drawn) => drawnEntry(drawn, model))
            const answer = await store.appendAll(ledger, `k${key}`, entries, NOW + at)
            expect(answer, said).toEqual(model.append(`k${key}`, entries, NOW + at))
            break
          }
          case 'ledger': {
            const [, after, limit] = call as readonly ['ledger', number, number]
            const expected = model.read(after, limit)
            // A page that ends before the removed entries does not know of them yet.
            const answer = await read(store, ledger, after, limit)
            if (expected !== 'R5056' || answer === 'R5056') expect(answer, said).toEqual(expected)
            else expect(answer.map(({ seq }) => seq)).toEqual(answer.map((_, i) => after + i + 1))
            break
          }
          case 'latest': {
            const names = call[1] as readonly string[] | null
            expect(await store.latest(ledger, names ?? undefined), said).toEqual({
              last: model.last,
              entries: model.latest(names ?? NAMES),
            })
            break
          }
          default: {
            const compaction = call[0] === 'before' ? { before: NOW + call[1] } : { through: call[1] }
            expect(await store.compact(ledger, compaction), said).toBe(model.compact(compaction))
          }
        }
      }
      expect(await store.latest(ledger)).toEqual({ last: model.last, entries: model.latest(NAMES) })
      expect(await store.ledger(ledger, model.floor)).toEqual(model.read(model.floor, Number.POSITIVE_INFINITY))
    }),
    { numRuns },
  )
}

interface Drawn {
  readonly name: string | null
  readonly value: number | null
  readonly condition: boolean | null
}

/** Returns an entry that a store takes: one without a name has a value and no condition. */
function drawnEntry({ name, value, condition }: Drawn, model: LedgerModel): NewEntry {
  if (name === null) return { value: value ?? 0 }
  const current = model.current(name)?.seq ?? 0
  return { name, ...(value === null ? {} : { value }), ...(condition === null ? {} : { after: condition ? current : current + 1 }) }
}

async function read(store: Store, ledger: string, after: number, limit: number): Promise<readonly LedgerEntry[] | 'R5056'> {
  try {
    return await store.ledger(ledger, after, limit)
  } catch (thrown) {
    if (isFault(thrown) && thrown.code === 'R5056') return 'R5056'
    throw thrown
  }
}
