import { quote } from './printable.ts'

/** The position of a value inside another: keys and list indexes from the outside in. */
export type Path = readonly (string | number)[]

const WORD = /^[A-Za-z_$][\w$-]*$/

/** Returns a path as text: `edges[3].to`, `nodes["my node"].id`. */
export function pathText(path: Path): string {
  return path.map((step, i) => stepText(step, i === 0)).join('')
}

function stepText(step: string | number, first: boolean): string {
  if (typeof step === 'number') return `[${step}]`
  if (!WORD.test(step)) return `[${quote(step)}]`
  return first ? step : `.${step}`
}

/** Returns the value at a path, using only own properties; undefined if it does not exist. */
export function valueAt(value: unknown, path: Path): unknown {
  let at = value
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string | number, unknown>)[step]
  }
  return at
}
