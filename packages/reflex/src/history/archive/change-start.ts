import { decodeBatch, encodeRecord, FORMAT, isObject, type Json, raisedElsewhere, type Start } from '../../kernel/index.ts'

/** A record as a store keeps it: its format, its parts, and its large values. */
export interface RecordParts {
  readonly v: number
  readonly row: readonly Json[]
  readonly blobs: ReadonlyMap<string, string>
}

/**
 * Returns a stored record with a changed start; the same record if nothing changes. It decodes and encodes the record, because the whole
 * start can be a large value beside the record.
 */
export function changeStart(stored: RecordParts, change: (start: Start) => Start): RecordParts {
  const { v, row, blobs } = stored
  const [record] = decodeBatch(v, `[${JSON.stringify(row)}]`, (name) => blobs.get(name) ?? 'null')
  const start = record?.more?.start
  if (record === undefined || start === undefined) return stored
  const changed = change(start)
  if (changed === start) return stored
  const { text, blobs: newBlobs = new Map<string, string>() } = encodeRecord({ ...record, more: { ...record.more, start: changed } })
  return { v: FORMAT, row: JSON.parse(text) as readonly Json[], blobs: newBlobs }
}

/**
 * Returns a start without the settings that are valid only in its own store and for its own run: the proof of the operator's rights, and
 * the record after which permissions count. Of the ends of imports, those before record `last` stay: later records depend on them.
 */
export function withoutLocalSettings(start: Start, last: number): Start {
  const { by } = start
  if (!isObject(by) || !['proof', 'decidedAfter', 'raisedElsewhere'].some((name) => Object.hasOwn(by, name))) return start
  const { proof: _, decidedAfter, raisedElsewhere: _raised, ...others } = by
  const ends = raisedElsewhere(by).filter((end) => end < last)
  const rest = ends.length === 0 ? others : { ...others, raisedElsewhere: ends }
  // An import gave settings to a run that had none.
  if (decidedAfter !== undefined && Object.keys(rest).length === 0) return withoutSettings(start)
  return { ...start, by: rest }
}

function withoutSettings({ by: _, ...start }: Start): Start {
  return start
}

/** Returns a start with which permissions that were given up to a record do not count. */
export function withDecidedAfter(start: Start, record: number): Start {
  return { ...start, by: { ...(isObject(start.by) ? start.by : {}), decidedAfter: record } }
}

/** Returns a start with which limits that were raised up to a record do not count. */
export function withRaisedElsewhere(start: Start, record: number): Start {
  const { by } = start
  return isObject(by) ? { ...start, by: { ...by, raisedElsewhere: [...raisedElsewhere(by), record] } } : start
}
