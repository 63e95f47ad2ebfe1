import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import { type Label, unpackLabel } from '../../../../policy/label.ts'

/** An operation on the memory of an agent: an entry of its ledger. */
export interface MemoryOperation {
  readonly op: string
  /** The time in milliseconds since the epoch. */
  readonly at: number
  readonly run: string
  readonly args: JsonObject
  /** The label of its values. */
  readonly label: Label
}

/** Reads an operation from an entry; undefined for other entries. */
export function readOperation(entry: Json): MemoryOperation | undefined {
  if (!isObject(entry)) return undefined
  const { op, at, run, args, label } = entry
  if (typeof op !== 'string' || typeof at !== 'number' || !isObject(args)) return undefined
  return { op, at, run: renderText(run ?? ''), args, label: unpackLabel(label) }
}

/** Returns a list unchanged, a single value as a list, and an empty list for no value. */
export function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null || value === '') return []
  return isList(value) ? value : [value]
}
