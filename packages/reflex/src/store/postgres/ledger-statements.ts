type Name =
  | 'ledgerEnd'
  | 'append'
  | 'appendAll'
  | 'entries'
  | 'newestEntries'
  | 'latest'
  | 'ledgerFacts'
  | 'setLedgerFacts'
  | 'keptLedgers'
  | 'dropEntries'
  | 'openRuns'

const ENTRY = 'seq, key, at, sum, value, entry_name'

/** Returns the statements about ledgers. `current` is the condition of every writing statement. */
export function ledgerStatements(at: string, current: string): Readonly<Record<Name, string>> {
  const newest = (wanted: string) =>
    `(select ${ENTRY} from ${at}.ledger where name = $1 and entry_name = ${wanted} order by seq desc limit 1)`
  // Writes nothing if the facts are no longer those that were read: their sum is $7.
  const setFacts = `insert into ${at}.ledger_facts (name, keep, through, floor, removed, sum) select $1, $2::bigint, $3, $4, $5, $6 where ${current}
    on conflict (name) do update set keep = excluded.keep, through = excluded.through, floor = excluded.floor,
      removed = excluded.removed, sum = excluded.sum where ledger_facts.sum = $7::bigint returning name`
  return {
    ledgerEnd: `select (select seq from ${at}.ledger where name = $1 and key = $2) as known,
      coalesce((select max(seq) from ${at}.ledger where name = $1), 0) as last`,
    append: `insert into ${at}.ledger (name, seq, key, at, sum, value) select $1, $2, $3, $4, $5, $6 where ${current} on conflict do nothing returning seq`,
    // A writer that has the first number has all numbers after it: no other writer takes these before the first one.
    appendAll: `with given as (
        select * from unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[]) as given (seq, key, sum, value, entry_name)
      ), head as (
        insert into ${at}.ledger (name, seq, key, at, sum, value, entry_name) select $1, seq, key, $7::bigint, sum, value, entry_name
        from given where seq = $8::bigint and ${current} on conflict do nothing returning seq
      ), rest as (
        insert into ${at}.ledger (name, seq, key, at, sum, value, entry_name) select $1, seq, key, $7::bigint, sum, value, entry_name
        from given where seq > $8::bigint and exists (select from head)
      )
      select seq from head`,
    entries: `select ${ENTRY} from ${at}.ledger where name = $1 and seq > $2 order by seq limit $3`,
    newestEntries: `select newest.* from unnest($2::text[]) as wanted (entry) cross join lateral ${newest('wanted.entry')} as newest`,
    // The index leads from name to name, past the older entries of each.
    latest: `with recursive names (entry) as (
        (select min(entry_name) from ${at}.ledger where name = $1 and entry_name is not null and $2::text[] is null)
        union all (select (select min(entry_name) from ${at}.ledger where name = $1 and entry_name > names.entry) from names where names.entry is not null)
      ), wanted (entry) as (
        select entry from names where entry is not null union select given collate "C" from unnest($2::text[]) as named (given)
      )
      select ends.last, newest.* from (select coalesce(max(seq), 0) as last from ${at}.ledger where name = $1) as ends
      left join (wanted cross join lateral ${newest('wanted.entry')} as newest) on true`,
    ledgerFacts: `select keep, through, floor, removed, sum from ${at}.ledger_facts where name = $1`,
    setLedgerFacts: setFacts,
    keptLedgers: `select name, keep from ${at}.ledger_facts where keep is not null`,
    dropEntries: `with fence as (${setFacts}) delete from ${at}.ledger where name = $1 and seq = any($8::bigint[]) and exists (select from fence) returning seq`,
    openRuns: `select id from ${at}.run where id = any($1) and status in ('running', 'suspended')`,
  }
}
