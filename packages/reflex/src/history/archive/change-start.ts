import { decodeBatch, encodeRecord, FORMAT, isObject, type Json, type Start } from '../../kernel/index.ts'

/** A record as a store keeps it: its format, its parts, and the large values that stand beside it. */
export interface RecordParts {
  readonly v: number
  readonly row: readonly Json[]
  readonly blobs: ReadonlyMap<string, string>
}

/**
 * A stored record with another start; the same one where nothing is changed. It is read and written anew, for arguments may be so large that
 * the whole start stands beside its record, where no look at the parts finds it.
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

/** A start without the proof of what its operator may claim: that counts where it was made, and for this run alone. */
export function withoutProof(start: Start): Start {
  const { by } = start
  if (!isObject(by) || !Object.hasOwn(by, 'proof')) return start
  const { proof: _, ...rest } = by
  return { ...start, by: rest }
}
