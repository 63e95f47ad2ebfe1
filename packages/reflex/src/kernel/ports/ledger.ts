import { faults } from '../journal/faults.ts'
import { isList, type Json } from '../journal/json.ts'
import type { Port } from './port.ts'
import type { Host } from './host.ts'
import type { Store } from './store.ts'

/**
 * Ledgers as effects: `['append', ledger, value]` returns the number of the entry, `['read', ledger, after?]` returns `[number,
 * value]` pairs. An append under an existing key appends nothing, so it may be repeated after a crash (architecture, Ledger).
 */
export function ledgerPort(store: Store, host: Host): Port {
  return {
    leaves: true,
    repeat: 'keyed',
    // A ledger is in the store like the journal: an entry leaves no more traces than a record.
    simulate: 'perform',
    traits: (call) =>
      isList(call.args) && call.args[0] === 'read' ? { leaves: false, repeat: 'free' } : { leaves: true, repeat: 'keyed' },
    async perform(call) {
      const [operation, ledger, operand] = isList(call.args) ? call.args : []
      if (typeof ledger !== 'string') throw faults.make('R2012', 'a ledger effect names its ledger')
      if (operation === 'append') return store.append(ledger, call.key, operand ?? null, host.now())
      const entries = await store.ledger(ledger, typeof operand === 'number' ? operand : 0)
      return entries.map(({ seq, value }): Json => [seq, value])
    },
  }
}
