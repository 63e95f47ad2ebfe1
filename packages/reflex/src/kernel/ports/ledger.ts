import { faults } from '../journal/faults.ts'
import { isList, isObject, type Json } from '../journal/json.ts'
import type { Port } from './port.ts'
import type { Host } from './host.ts'
import type { AppendOptions, Appended, LedgerEntry, NewEntry } from './ledger-entries.ts'
import type { Store } from './store.ts'

const READS: readonly unknown[] = ['read', 'latest']

/**
 * Ledgers as effects. An append under an existing key appends nothing and has the first result, so it may be repeated after a crash
 * (architecture, Ledger); a replay has the results in its records and needs no store.
 *
 * - `['append', ledger, value]` returns the number of the entry.
 * - `['appendAll', ledger, [{ name?, value?, after? }, …], { keep? }?]` appends all entries or none, as `Store.appendAll`. It returns
 *   `{ numbers }`, or `{ conflict: { name, newest? } }` with the entry that holds the name.
 * - `['read', ledger, after?]` returns the entries after a number.
 * - `['latest', ledger, names?]` returns `{ last, entries }`: the current values of these names, by default of all, and the number after
 *   which a read continues.
 *
 * An entry is `[number, value]`; one with a name is `[number, value, name]`, and a deletion `[number, null, name, 'deleted']`. Arguments
 * of another form fail with `R2012`, entries that no store takes with `R5055`, a read after removed entries with `R5056`.
 */
export function ledgerPort(store: Store, host: Host): Port {
  return {
    leaves: true,
    repeat: 'keyed',
    // A ledger is in the store like the journal: an entry leaves no more traces than a record.
    simulate: 'perform',
    traits: (call) =>
      isList(call.args) && READS.includes(call.args[0]) ? { leaves: false, repeat: 'free' } : { leaves: true, repeat: 'keyed' },
    async perform(call) {
      const [operation, ledger, operand, options] = isList(call.args) ? call.args : []
      if (typeof ledger !== 'string') throw faults.make('R2012', 'a ledger effect names its ledger')
      switch (operation) {
        case 'append':
          return store.append(ledger, call.key, operand ?? null, host.now())
        case 'appendAll':
          return resultOf(await store.appendAll(ledger, call.key, entriesIn(operand), host.now(), optionsIn(options)))
        case 'read':
          return (await store.ledger(ledger, typeof operand === 'number' ? operand : 0)).map(listed)
        case 'latest': {
          const { last, entries } = await store.latest(ledger, namesIn(operand))
          return { last, entries: entries.map(listed) }
        }
        default:
          throw faults.make('R2012', 'a ledger effect is append, appendAll, read or latest')
      }
    },
  }
}

function listed({ seq, value, name }: LedgerEntry): Json {
  if (name === undefined) return [seq, value ?? null]
  return value === undefined ? [seq, null, name, 'deleted'] : [seq, value, name]
}

function resultOf(appended: Appended): Json {
  if ('numbers' in appended) return { numbers: appended.numbers }
  const { name, newest } = appended.conflict
  return { conflict: { name, ...(newest === undefined ? {} : { newest: listed(newest) }) } }
}

/** The store checks the parts of an entry. */
function entriesIn(operand: Json | undefined): readonly NewEntry[] {
  const entries = isList(operand) ? operand : [null]
  if (!entries.every((entry) => hasOnly(entry, ['name', 'value', 'after'])))
    throw faults.make('R2012', 'entries to append are a list of { name, value, after }')
  return entries as unknown as readonly NewEntry[]
}

function optionsIn(options: Json | undefined): AppendOptions {
  if (options !== undefined && !hasOnly(options, ['keep'])) throw faults.make('R2012', 'the options of an append are { keep }')
  return options === undefined ? {} : (options as AppendOptions)
}

function hasOnly(value: Json, names: readonly string[]): boolean {
  return isObject(value) && Object.keys(value).every((name) => names.includes(name))
}

function namesIn(operand: Json | undefined): readonly string[] | undefined {
  if (operand === undefined || operand === null) return undefined
  if (!isList(operand) || !operand.every((name) => typeof name === 'string'))
    throw faults.make('R2012', 'the names to read are a list of texts')
  return operand
}
