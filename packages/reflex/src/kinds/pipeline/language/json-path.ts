import { isList, isObject, type Json } from '../../../kernel/index.ts'

/** A step of a path: a key, which is an index in a list; an index, negative from the end; or every element. */
type PathStep = string | number | typeof EVERY
const EVERY = Symbol('every')

/** The result of following a path: a value, undefined if there is none, or the reason why the path is invalid. */
export type PathResult = { readonly value: Json | undefined } | { readonly problem: string }

/**
 * Follows a path into a value: `a.b`, `a.0`, `a[0].b`, `a[-1]`, `a["b.c"]`, `a[*].b` and `a.*.b`, with or without `$` before
 * it. A path with `*` returns a list of all values found, which may be empty; any other path returns one value.
 */
export function followPath(value: Json, path: string): PathResult {
  const steps = stepsOf(path.trim())
  if (typeof steps === 'string') return { problem: steps }
  let found: readonly Json[] = [value]
  for (const step of steps) found = found.flatMap((one) => stepInto(one, step))
  return { value: steps.includes(EVERY) ? found : found[0] }
}

function stepInto(value: Json, step: PathStep): readonly Json[] {
  if (step === EVERY) return isList(value) ? value : isObject(value) ? Object.values(value) : []
  if (isList(value)) {
    const index = typeof step === 'number' ? step : /^\d+$/.test(step) ? Number(step) : Number.NaN
    const element = value.at(index)
    return element === undefined || Number.isNaN(index) ? [] : [element]
  }
  const key = String(step)
  const member = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  return member === undefined ? [] : [member]
}

/** A key up to the next dot or bracket, or an index, `*` or a quoted key in brackets. */
const STEP = /(?<key>[^.[\]]+)|\[\s*(?:(?<index>-?\d+)|(?<every>\*)|"(?<double>[^"]*)"|'(?<single>[^']*)')\s*\]/y

/** Returns the steps of a path, or the reason why it is invalid. */
function stepsOf(path: string): readonly PathStep[] | string {
  const steps: PathStep[] = []
  let at = path === '$' || /^\$[.[]/.test(path) ? 1 : 0
  while (at < path.length) {
    if (path[at] === '.' && at > 0) at++
    STEP.lastIndex = at
    const { key, index, every, double, single } = STEP.exec(path)?.groups ?? {}
    const step = every !== undefined || key === '*' ? EVERY : index === undefined ? (key ?? double ?? single) : Number(index)
    if (step === undefined) return `${JSON.stringify(path)} is not a path: write a key, [0], [*] or ["a key"] at character ${at + 1}`
    steps.push(step)
    at = STEP.lastIndex
  }
  return steps
}
