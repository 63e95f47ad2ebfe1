import { faults } from '../../runs/faults.ts'
import { readDuration } from '../../agents/duration.ts'
import type { RunRow, RunStatus } from '../../kernel/index.ts'
import { suggest } from '../../text/index.ts'
import type { Console } from '../console.ts'
import { plainJson, runDocument } from '../run-document.ts'
import { EXIT } from '../exit.ts'
import { abandonedRuns, waitReason } from '../abandoned-runs.ts'
import { table, tabSeparated, commandHint } from '../layout.ts'
import type { CommonFlags } from '../options.ts'
import type { StoreSession } from '../store-session.ts'
import { programName } from '../event-text.ts'
import { usageText } from '../model-usage.ts'
import { age, utc } from '../units.ts'

export interface RunsFlags extends CommonFlags {
  readonly status?: string
  readonly limit?: string
  readonly since?: string
}

/** The statuses by which runs can be filtered. */
export const STATUSES: readonly RunStatus[] = ['running', 'suspended', 'completed', 'failed', 'cancelled']
const DEFAULT_LIMIT = 50

/** `reflex runs`: lists the runs, the newest first. */
export async function runs(rows: StoreSession, flags: RunsFlags): Promise<number> {
  const { console, store } = rows
  const status = statusesOf(flags.status)
  const limit = limitOf(flags.limit)
  const since = sinceOf(flags.since, console.now)
  // A run whose process is gone is stored as running and shown as suspended.
  const stored = status === undefined || !status.includes('suspended') ? status : [...new Set([...status, 'running' as const])]
  const all = await store.runs({
    ...(stored === undefined ? {} : { status: stored }),
    ...(status === undefined && since === undefined ? { limit: limit + 1 } : {}),
  })
  const gone = await abandonedRuns(rows, all)
  const shown = all.filter((row) => row.updated >= (since ?? 0) && (status === undefined || status.includes(statusOf(row, gone))))
  print(console, shown.slice(0, limit), gone, shown.length > limit)
  return EXIT.done
}

function statusOf({ id, status }: RunRow, gone: ReadonlySet<string>): RunStatus {
  return gone.has(id) ? 'suspended' : status
}

function print(console: Console, rows: readonly RunRow[], gone: ReadonlySet<string>, more: boolean): void {
  const { out, now } = console
  if (console.shape === 'json')
    return console.document(plainJson({ v: 1, runs: rows.map((row) => runDocument(row, gone.has(row.id))), more }))
  if (console.shape === 'jsonl') return rows.forEach((row) => console.document(plainJson({ v: 1, ...runDocument(row, gone.has(row.id)) })))
  const cells = (row: RunRow, time: string): string[] => [
    row.id,
    programName(row.program[0]),
    statusOf(row, gone),
    waitReason(row, gone.has(row.id)),
    time,
  ]
  if (!out.terminal)
    return console.world.out.write(tabSeparated(rows.map((row) => [...cells(row, utc(row.updated)), row.trace, costText(row)])))
  if (rows.length === 0) return console.print([`no runs · ${console.command('run', 'FILE')}`].map((line) => out.text(line)))
  const ids = console.flags.ids === true
  const costs = rows.some((row) => costText(row) !== '')
  const head = ['run', 'program', 'status', 'waits for', 'since', ...(costs ? ['cost'] : []), ...(ids ? ['trace'] : [])]
  console.print(
    table(
      head,
      rows.map((row) => [...cells(row, age(now - row.updated)), ...(costs ? [costText(row)] : []), ...(ids ? [row.trace] : [])]),
      out,
      costs ? [4, 5] : [4],
    ),
  )
  if (more) console.print([commandHint(out, 'more', console.command('runs', '--limit', String(rows.length * 4)))])
}

/** Returns the cost of a run as its store knows it: `$0.004`, `640 tok unpriced`; empty if no model was asked. */
function costText({ used }: RunRow): string {
  const { cost: usd = 0, tokens = 0, unpriced = 0 } = used ?? {}
  return usageText({ usd, tokens, unpriced }) ?? ''
}

function statusesOf(wanted: string | undefined): readonly RunStatus[] | undefined {
  return wanted?.split(',').map((word) => {
    const status = STATUSES.find((known) => known === word.trim().toLowerCase())
    if (status !== undefined) return status
    const guess = suggest(word, STATUSES)
    throw faults.make('R2031', `there is no status ${JSON.stringify(word)}${guess === undefined ? '' : `; did you mean "${guess}"?`}`, {
      fix: `write one of ${STATUSES.join(', ')}`,
    })
  })
}

function limitOf(wanted: string | undefined): number {
  if (wanted === undefined) return DEFAULT_LIMIT
  const limit = Number(wanted)
  if (Number.isInteger(limit) && limit > 0) return limit
  throw faults.make('R2031', `--limit ${wanted} is not a whole number above 0`, { fix: 'write --limit 20' })
}

function sinceOf(wanted: string | undefined, now: number): number | undefined {
  if (wanted === undefined) return undefined
  const ms = readDuration(wanted)
  if (ms !== undefined) return now - ms
  const at = Date.parse(wanted)
  if (!Number.isNaN(at)) return at
  throw faults.make('R2031', `--since ${wanted} is not a duration or a date`, { fix: 'write --since 2h, --since 3d or --since 2026-11-20' })
}
