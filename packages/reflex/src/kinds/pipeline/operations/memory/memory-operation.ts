import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { renderText } from '../../language/render.ts'
import { type Label, unpackLabel } from '../../../../policy/label.ts'

/** One thing that an agent was told or did: an entry of its ledger. */
export interface MemoryOperation {
  readonly op: string
  /** When: milliseconds since the epoch. */
  readonly at: number
  readonly run: string
  readonly args: JsonObject
  /** The origin of its values. */
  readonly label: Label
}

/** An entry as a deed; undefined for one that is none. */
export function readOperation(entry: Json): MemoryOperation | undefined {
  if (!isObject(entry)) return undefined
  const { op, at, run, args, label } = entry
  if (typeof op !== 'string' || typeof at !== 'number' || !isObject(args)) return undefined
  return { op, at, run: renderText(run ?? ''), args, label: unpackLabel(label) }
}

/** A list as it is; one value as a list of one, nothing as none. */
export function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null || value === '') return []
  return isList(value) ? value : [value]
}
