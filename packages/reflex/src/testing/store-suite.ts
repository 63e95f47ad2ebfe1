import type { Store } from '../kernel/index.ts'
import { committedCases } from './store-suite/committed.ts'
import { gcCases } from './store-suite/sweep.ts'
import { inboxCases } from './store-suite/inbox.ts'
import { inboxListCases } from './store-suite/inbox-lists.ts'
import { inboxPageCases } from './store-suite/inbox-pages.ts'
import { journalCases } from './store-suite/journal.ts'
import { leaseCases } from './store-suite/leases.ts'
import { ledgerCompactionCases } from './store-suite/ledger-compaction.ts'
import { ledgerNameCases } from './store-suite/ledger-names.ts'
import { ledgerCases } from './store-suite/ledgers.ts'
import { listCases } from './store-suite/lists.ts'
import { segmentInboxCases } from './store-suite/segment-inbox.ts'
import { segmentCases } from './store-suite/segments.ts'
import { segmentSweepCases } from './store-suite/segment-sweep.ts'
import { snapshotCases } from './store-suite/snapshots.ts'
import { unreadCases } from './store-suite/unread.ts'
import { type Rule, StoreWorld, type StoreUnderTest } from './store-suite/world.ts'

export type { StoreUnderTest } from './store-suite/world.ts'

/** One rule of the contract. `run` resolves if the store keeps it; otherwise it rejects with an `AssertionError`. */
export interface StoreCase {
  readonly name: string
  readonly run: () => Promise<void>
}

const RULES: Readonly<Record<string, Rule>> = {
  ...journalCases,
  ...snapshotCases,
  ...leaseCases,
  ...inboxCases,
  ...inboxPageCases,
  ...inboxListCases,
  ...unreadCases,
  ...listCases,
  ...committedCases,
  ...ledgerCases,
  ...ledgerNameCases,
  ...ledgerCompactionCases,
  ...gcCases,
  ...segmentCases,
  ...segmentInboxCases,
  ...segmentSweepCases,
}

/**
 * Returns every rule of the store contract (`Store` in `reflex-runtime/kernel`) as cases for any test runner:
 *
 *     for (const it of storeSuite('mine', makeStore)) test(it.name, it.run)
 *
 * `make` returns an empty place for each case, so the cases are independent and can run in any order. It can be called while other cases
 * run. No case depends on the real time: `now` is always an argument. One case starts a process and kills it.
 */
export function storeSuite(name: string, make: () => StoreUnderTest | Promise<StoreUnderTest>): readonly StoreCase[] {
  return Object.entries(RULES).map(([rule, check]) => ({
    name: `${name}: ${rule}`,
    async run() {
      const place = await make()
      const opened: Store[] = []
      try {
        await check(await StoreWorld.at(place, opened))
      } finally {
        for (const store of opened) await store.close()
        await place.dispose()
      }
    },
  }))
}
