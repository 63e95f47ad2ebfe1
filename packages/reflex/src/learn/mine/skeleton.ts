import { isList, isObject, type Json } from '../../kernel/index.ts'
import { formWords, OPERATOR } from './argument-form.ts'
import { hasSecret, valueKey } from './values.ts'

/** What the arguments of a step have in common, with the places that vary. */
export type Skeleton =
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [key: string, inner: Skeleton])[] }
  | { readonly kind: 'list'; readonly items: readonly Skeleton[] }
  /** The number of a leaf of the pattern. */
  | { readonly kind: 'leaf'; readonly leaf: number }

/** A place of arguments whose value varies, or is a secret. */
export interface Leaf {
  readonly step: number
  readonly path: readonly (string | number)[]
  /** True for a word of a command line, where every value is a text. */
  readonly isWord: boolean
  /** The value in each row. */
  readonly values: readonly Json[]
}

/** Aligns the arguments of one step in all rows, and appends the places that vary to `leaves`. Secrets are never a part of what is common. */
export function align(step: number, rows: readonly Json[], leaves: Leaf[]): Skeleton {
  return alignAt({ step, leaves }, rows, [], false)
}

interface Alignment {
  readonly step: number
  readonly leaves: Leaf[]
}

function alignAt(to: Alignment, values: readonly Json[], path: readonly (string | number)[], isWord: boolean): Skeleton {
  const [first = null] = values
  const key = valueKey(first)
  if (values.every((value) => valueKey(value) === key) && !hasSecret(first)) return { kind: 'constant', value: first }
  const keys = sharedKeys(values)
  if (keys !== undefined) {
    const isLine = formWords(first) !== undefined
    const inner = (name: string): Skeleton =>
      alignAt(
        to,
        values.map((value) => (isObject(value) ? (value[name] ?? null) : null)),
        [...path, name],
        isLine,
      )
    return { kind: 'object', entries: keys.map((name) => [name, inner(name)] as const) }
  }
  const length = sharedLength(values)
  if (length !== undefined) {
    const inner = (i: number): Skeleton =>
      alignAt(
        to,
        values.map((value) => (isList(value) ? (value[i] ?? null) : null)),
        [...path, i],
        isWord,
      )
    return { kind: 'list', items: Array.from({ length }, (_, i) => inner(i)) }
  }
  to.leaves.push({ step: to.step, path, isWord, values })
  return { kind: 'leaf', leaf: to.leaves.length - 1 }
}

/** Returns the keys of objects that all have the same ones. A redacted value and an operator are not taken apart. */
function sharedKeys(values: readonly Json[]): readonly string[] | undefined {
  const [first] = values
  if (!isObject(first)) return undefined
  const keys = Object.keys(first).sort()
  if (keys.length === 0 || keys.some((key) => key === '$redacted' || key === '$long' || key === OPERATOR)) return undefined
  const isShared = (value: Json): boolean =>
    isObject(value) && Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key))
  return values.every(isShared) ? keys : undefined
}

function sharedLength(values: readonly Json[]): number | undefined {
  const [first] = values
  if (!isList(first) || first.length === 0) return undefined
  return values.every((value) => isList(value) && value.length === first.length) ? first.length : undefined
}

/**
 * Compares the arguments of a row with a skeleton and collects the values of its leaves. False if the row has something else where all others
 * agree.
 */
export function fits(skeleton: Skeleton, value: Json, found: Json[]): boolean {
  if (skeleton.kind === 'constant') return valueKey(skeleton.value) === valueKey(value)
  if (skeleton.kind === 'leaf') {
    found[skeleton.leaf] = value
    return true
  }
  if (skeleton.kind === 'list')
    return isList(value) && value.length === skeleton.items.length && skeleton.items.every((item, i) => fits(item, value[i] ?? null, found))
  return (
    isObject(value) &&
    Object.keys(value).length === skeleton.entries.length &&
    skeleton.entries.every(([key, inner]) => Object.hasOwn(value, key) && fits(inner, value[key] ?? null, found))
  )
}
