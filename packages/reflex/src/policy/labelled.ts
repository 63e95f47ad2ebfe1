import { isObject, type Json } from '../kernel/index.ts'
import { isTrusted, type Label, packLabel, TRUSTED, unpackLabel } from './label.ts'

const LABEL = '#label'
const VALUE = '#value'

/** Returns the result of an effect with its label, or the result itself if it is trusted. */
export function labelled(value: Json, label: Label): Json {
  return isTrusted(label) && !isLabelled(value) ? value : { [LABEL]: packLabel(label), [VALUE]: value }
}

/** Reads a labelled result. A label in a result can lower its trust but never raise it. */
export function unlabelled(result: Json): { readonly value: Json; readonly label: Label } {
  if (!isLabelled(result)) return { value: result, label: TRUSTED }
  return { value: result[VALUE] ?? null, label: unpackLabel(result[LABEL]) }
}

function isLabelled(value: Json): value is { readonly [key: string]: Json } {
  return isObject(value) && Object.hasOwn(value, LABEL) && Object.hasOwn(value, VALUE)
}
