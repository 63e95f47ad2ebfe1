import { isObject, type Json } from '../../kernel/json.ts'
import { isTrusted, type Label, packLabel, TRUSTED, unpackLabel } from './label.ts'

const LABEL = '#label'
const VALUE = '#value'

/** The result of an effect together with where it comes from; the result itself where that is trusted. */
export function labelled(value: Json, label: Label): Json {
  return isTrusted(label) && !isLabelled(value) ? value : { [LABEL]: packLabel(label), [VALUE]: value }
}

/** Reads a result back. What a result says of itself can lower its trust and never raise it. */
export function unlabelled(result: Json): { readonly value: Json; readonly label: Label } {
  if (!isLabelled(result)) return { value: result, label: TRUSTED }
  return { value: result[VALUE] ?? null, label: unpackLabel(result[LABEL]) }
}

function isLabelled(value: Json): value is { readonly [key: string]: Json } {
  return isObject(value) && Object.hasOwn(value, LABEL) && Object.hasOwn(value, VALUE)
}

/** Whether a label must outlive the board: a value that is read again is derived by itself, and no more than that. */
export function isLasting({ level, sensitivity }: Label): boolean {
  return level > 1 || sensitivity > 0
}
