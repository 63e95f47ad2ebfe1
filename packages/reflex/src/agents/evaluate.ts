import { isList, isObject, type Json, type JsonObject } from '../kernel/index.ts'
import { requiredValue, type ValueView } from './lookup.ts'
import { fill, isTemplate } from './template.ts'

/**
 * Returns the value that a value in a spec means. `{"from": "path"}` is the value at the path, or `"else"` if it is missing;
 * `{"literal": value}` is the value unchanged; a text with `{{…}}` is filled in; lists and objects are evaluated item by item.
 */
export function evaluate(value: Json, view: ValueView, where: string): Json {
  if (typeof value === 'string') return isTemplate(value) ? fill(value, view, where) : value
  if (isList(value)) return value.map((item, i) => evaluate(item, view, `${where}[${i}]`))
  if (!isObject(value)) return value
  if (isReference(value)) {
    const found = view.find(value.from)
    if (found !== undefined) return found
    return value.else === undefined ? requiredValue(view, value.from, where) : evaluate(value.else, view, where)
  }
  const keys = Object.keys(value)
  if (keys.length === 1 && value.literal !== undefined) return value.literal
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, evaluate(inner, view, `${where}.${key}`)]))
}

/** Evaluates named values as `evaluate` does. */
export function evaluateAll(values: JsonObject, view: ValueView, where: string): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, evaluate(value, view, `${where}.${key}`)]))
}

function isReference(value: JsonObject): value is { readonly from: string; readonly else?: Json } {
  const others = Object.keys(value).filter((key) => key !== 'from' && key !== 'else')
  return typeof value.from === 'string' && others.length === 0
}
