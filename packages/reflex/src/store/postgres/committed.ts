import type { Committed, CommittedBatch } from '../../kernel/index.ts'
import { placeText, readPlace } from '../committed.ts'
import { isRest } from '../run-removal.ts'
import type { Ask } from './connection.ts'

/**
 * A snapshot of the transactions of the server: those from number `next` on had not begun, and the open ones had not ended. The batches
 * of all others were visible. So no long transaction, of whatever database, holds up or hides a batch.
 */
interface Snapshot {
  readonly next: number
  readonly open: readonly number[]
}

/** The position of a batch among those that one snapshot includes and an earlier one does not. */
type Position = readonly [moved: number, seq: number, first: number]

/** All batches of a snapshot have been read, and of a later one those up to a position. */
interface Place {
  readonly seen: Snapshot
  readonly part?: { readonly of: Snapshot; readonly until: Position }
}

const START: Position = [-1, -1, -1]
const MOST = 1_000_000

/** Returns the batches after a place. Undefined for a place that is not one of this store, or before a packed batch. */
export async function committedIn(ask: Ask, after?: string, limit = MOST): Promise<Committed | undefined> {
  if (after === undefined) {
    const [row] = await ask('committed', [0, [], 0, null, ...START])
    return { batches: [], end: row === undefined ? '0' : snapshotText(readSnapshot(row.taken)) }
  }
  const place = parsePlace(after)
  if (place === undefined) return undefined
  const { seen, part } = place
  const upto = part === undefined ? null : serverText(part.of)
  const rows = await ask('committed', [seen.next, seen.open, limit, upto, ...(part?.until ?? START)])
  const [facts] = rows
  const now = readSnapshot(facts?.now)
  if ((part?.of ?? seen).next > now.next || !isIn(seen, facts?.packed ?? 0)) return undefined
  const taken = readSnapshot(facts?.taken)
  const batches: (CommittedBatch | undefined)[] = rows.map(({ id, moved, seq, first, count }) => {
    if (id === null || moved === null || seq === null || first === null || count === null) return undefined
    return { run: id, first, last: first + count - 1, place: placeOf({ seen, part: { of: taken, until: [moved, seq, first] } }) }
  })
  const found = batches.filter((batch) => batch !== undefined)
  const end = found.length >= limit ? (found.at(-1)?.place ?? after) : snapshotText(taken)
  return { batches: found.filter(({ run }) => !isRest({ id: run })), end }
}

function isIn({ next, open }: Snapshot, moved: number): boolean {
  return moved < next && !open.includes(moved)
}

function placeOf({ seen, part }: Place): string {
  if (part === undefined) return snapshotText(seen)
  return [snapshotText(seen), snapshotText(part.of), part.until.map(placeText).join('.')].join('_')
}

function parsePlace(text: string): Place | undefined {
  const parts = text.split('_')
  const [seen, of, until] = [parseNumbers(parts[0]), parseNumbers(parts[1]), parseNumbers(parts[2])]
  const first = seen === undefined ? undefined : snapshotOf(seen)
  if (first === undefined) return undefined
  if (parts.length === 1) return { seen: first }
  const second = of === undefined ? undefined : snapshotOf(of)
  const [moved, seq, record] = until ?? []
  if (parts.length !== 3 || second === undefined || moved === undefined || seq === undefined || record === undefined) return undefined
  return until?.length === 3 ? { seen: first, part: { of: second, until: [moved, seq, record] } } : undefined
}

function parseNumbers(text = ''): readonly number[] | undefined {
  const numbers = text.length > 4000 ? [] : text.split('.').map(readPlace)
  return numbers.length > 0 && numbers.every((number) => number !== undefined) ? numbers : undefined
}

/** Returns the snapshot of these numbers: the next transaction, then the open ones in order. */
function snapshotOf([next = 0, ...open]: readonly number[]): Snapshot | undefined {
  return open.every((number, i) => number < next && number > (open[i - 1] ?? -1)) ? { next, open } : undefined
}

function snapshotText({ next, open }: Snapshot): string {
  return [next, ...open].map(placeText).join('.')
}

/** Reads a snapshot as Postgres writes it: `10:20:10,14`. */
function readSnapshot(text = '0:0:'): Snapshot {
  const [, next = '0', open = ''] = text.split(':')
  return { next: Number(next), open: open === '' ? [] : open.split(',').map(Number) }
}

function serverText({ next, open }: Snapshot): string {
  return `${open[0] ?? next}:${next}:${open.join(',')}`
}
