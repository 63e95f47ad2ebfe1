import { equalJson, isList, isObject, type Json } from '../kernel/index.ts'
import { shortJson, type Path } from '../text/index.ts'

/** The first place at which two values differ, with the short text of both values. */
export interface ValueDifference {
  readonly path: Path
  readonly one: string
  readonly other: string
}

/** Compares two values as JSON. Returns undefined if they are equal. */
export function firstDifference(one: object, other: object): ValueDifference | undefined {
  const [text, another] = [JSON.stringify(one), JSON.stringify(other)]
  if (text === another) return undefined
  let [a, b] = [JSON.parse(text), JSON.parse(another)] as [Json | undefined, Json | undefined]
  const path: (string | number)[] = []
  for (;;) {
    const step = differingStep(a, b)
    if (step === undefined) break
    path.push(step)
    a = memberOf(a, step)
    b = memberOf(b, step)
  }
  return equalJson(a, b) ? undefined : { path, one: shown(a), other: shown(b) }
}

function differingStep(a: Json | undefined, b: Json | undefined): string | number | undefined {
  if (isList(a) && isList(b)) {
    const index = a.length >= b.length ? a.findIndex((item, i) => !equalJson(item, b[i])) : b.findIndex((item, i) => !equalJson(a[i], item))
    return index < 0 ? undefined : index
  }
  if (!isObject(a) || !isObject(b)) return undefined
  return [...Object.keys(a), ...Object.keys(b)].find((key) => !equalJson(memberOf(a, key), memberOf(b, key)))
}

/** Returns the value under a key or an index; undefined for a property that only the prototype has. */
export function memberOf(value: Json | undefined, step: string | number): Json | undefined {
  if (typeof step === 'number') return isList(value) ? value[step] : undefined
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'nothing' : shortJson(value, 28)
}
