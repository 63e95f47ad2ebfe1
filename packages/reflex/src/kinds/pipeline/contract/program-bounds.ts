import type { TypedGraph } from '../model/typed.ts'
import { integerOf, numberOf } from '../dot/graph.ts'
import { durationOf } from '../language/duration.ts'
import type { Limits } from '../../../kernel/index.ts'

const stated = new WeakMap<TypedGraph, { readonly bounds: Limits | undefined }>()

/** Returns the limits that a pipeline states; undefined if it states none. */
export function programBounds(typed: TypedGraph): Limits | undefined {
  let found = stated.get(typed)
  if (found === undefined) {
    const { attributes } = typed.graph
    const tokens = positive(integerOf(attributes, 'max_total_tokens'))
    const cost = positive(numberOf(attributes, 'max_cost'))
    const time = positive(durationOf(attributes, 'max_wall_time'))
    const all = {
      ...(tokens === undefined ? {} : { tokens }),
      ...(cost === undefined ? {} : { cost }),
      ...(time === undefined ? {} : { time }),
    }
    found = { bounds: Object.keys(all).length === 0 ? undefined : all }
    stated.set(typed, found)
  }
  return found.bounds
}

function positive(stated: number | undefined): number | undefined {
  return stated === undefined || stated <= 0 ? undefined : stated
}
