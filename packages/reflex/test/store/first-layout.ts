import { DatabaseSync } from 'node:sqlite'
import { type StoredRunRow, sumOfRun } from '../../src/store/rows.ts'

/** Makes a store file what the first layout had: no identity, runs without a usage, and entries without names. */
export function makeFirstLayout(file: string): void {
  const db = new DatabaseSync(file)
  const rows = db.prepare('select * from run').all() as unknown as (StoredRunRow & { readonly seq: number })[]
  for (const row of rows) db.prepare('update run set sum = ? where seq = ?').run(sumOfRun({ ...row, used: null }, row.chain), row.seq)
  db.exec(`drop table identity; drop table segment; alter table run drop column used; drop index ledger_by_entry_name;
    alter table ledger drop column entry_name; drop table ledger_facts; pragma user_version = 1`)
  db.close()
}
