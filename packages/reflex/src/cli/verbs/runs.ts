import { plainJson, programName, utc } from '../../protocol/plain.ts'
import { runDocument } from '../../protocol/documents.ts'
import { isFault, type JsonObject, type RunRow, type RunStatus, type Store, type Worker } from '../../kernel/index.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { listRuns } from '../../runs/listing.ts'
import { waitReason } from '../abandoned-runs.ts'
import { table, tabSeparated, commandHint } from '../layout.ts'
import { type FilterFlags, limitOf, statusesOf, timeOf } from '../run-filter.ts'
import type { StoreSession } from '../store-session.ts'
import { usageText } from '../model-usage.ts'
import { age } from '../units.ts'

/** The statuses by which runs can be filtered. */
export const STATUSES: readonly RunStatus[] = ['running', 'suspended', 'completed', 'failed', 'cancelled']
const DEFAULT_LIMIT = 50

/** `reflex runs`: lists the runs, the newest first. */
export async function runs(rows: StoreSession, flags: FilterFlags): Promise<number> {
  const { console, store } = rows
  const status = statusesOf(flags.status, STATUSES)
  const limit = limitOf(flags.limit, DEFAULT_LIMIT)
  const since = timeOf('--since', flags.since, console.now)
  const { kind, program } = flags
  const until = timeOf('--until', flags.until, console.now)
  const processes = { now: console.now, isAlive: (worker: Worker) => console.world.isAlive(worker) }
  const {
    rows: listed,
    gone,
    more,
  } = await listRuns(store, processes, {
    ...(status === undefined ? {} : { status }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(kind === undefined ? {} : { kind }),
    ...(program === undefined ? {} : { program }),
    ...(flags.after === undefined ? {} : { after: (await (await import('../../runs/find-run.ts')).findRun(store, flags.after)).id }),
    limit,
  })
  const segments = new Map<string, number>()
  for (const { id } of listed) segments.set(id, await segmentCount(store, id))
  print(console, listed, { gone, segments, more })
  return EXIT.done
}

function statusOf({ id, status }: RunRow, gone: ReadonlySet<string>): RunStatus {
  return gone.has(id) ? 'suspended' : status
}

/** Returns the number of segments of a run; 0 if the store cannot tell: a damaged run must not hide the others. */
async function segmentCount(store: Store, run: string): Promise<number> {
  try {
    return (await store.segments(run)).length
  } catch (thrown) {
    if (isFault(thrown) && thrown.code === 'R5003') return 0
    throw thrown
  }
}

interface ListFacts {
  /** The runs whose process is gone. */
  readonly gone: ReadonlySet<string>
  /** The numbers of their segments. */
  readonly segments: ReadonlyMap<string, number>
  /** True if there are more runs. */
  readonly more: boolean
}

function print(console: Console, rows: readonly RunRow[], { gone, segments, more }: ListFacts): void {
  const { out, now } = console
  const documentOf = (row: RunRow): JsonObject => runDocument(row, gone.has(row.id), segments.get(row.id))
  if (console.shape === 'json') return console.document(plainJson({ v: 1, runs: rows.map(documentOf), more }))
  if (console.shape === 'jsonl') return rows.forEach((row) => console.document(plainJson({ v: 1, ...documentOf(row) })))
  const sealedText = ({ id }: RunRow): string => ((segments.get(id) ?? 1) > 1 ? String(segments.get(id)) : '')
  const sealed = rows.some((row) => sealedText(row) !== '')
  const cells = (row: RunRow, time: string): string[] => [
    row.id,
    programName(row.program[0]),
    statusOf(row, gone),
    waitReason(row, gone.has(row.id)),
    time,
  ]
  if (!out.terminal)
    return console.world.out.write(
      tabSeparated(rows.map((row) => [...cells(row, utc(row.updated)), row.trace, costText(row), ...(sealed ? [sealedText(row)] : [])])),
    )
  if (rows.length === 0) return console.print([`no runs · ${console.command('run', 'FILE')}`].map((line) => out.text(line)))
  const ids = console.flags.ids === true
  const costs = rows.some((row) => costText(row) !== '')
  const head = [
    'run',
    'program',
    'status',
    'waits for',
    'since',
    ...(costs ? ['cost'] : []),
    ...(sealed ? ['segments'] : []),
    ...(ids ? ['trace'] : []),
  ]
  console.print(
    table(
      head,
      rows.map((row) => [
        ...cells(row, age(now - row.updated)),
        ...(costs ? [costText(row)] : []),
        ...(sealed ? [sealedText(row)] : []),
        ...(ids ? [row.trace] : []),
      ]),
      out,
      [4, ...(costs ? [5] : []), ...(sealed ? [costs ? 6 : 5] : [])],
    ),
  )
  if (more) console.print([commandHint(out, 'more', console.command('runs', '--limit', String(rows.length * 4)))])
}

/** Returns the cost of a run as its store knows it: `$0.004`, `640 tok unpriced`; empty if no model was asked. */
function costText({ used }: RunRow): string {
  const { cost: usd = 0, tokens = 0, unpriced = 0 } = used ?? {}
  return usageText({ usd, tokens, unpriced }) ?? ''
}
