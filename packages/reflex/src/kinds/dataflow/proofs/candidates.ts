import type { Plan } from '../pass/plan.ts'
import { numbersOf, valuesOf } from './field-values.ts'
import type { KindPasses, Known } from './known.ts'
import type { FieldValues } from './solve.ts'

/** The most mixtures of values that are tried. */
const MOST_TRIED = 400
/** The most values of one field that are tried. */
const MOST_VALUES = 24

/** Returns the part of a plan that some nodes depend on, themselves included. */
export function partOf(plan: Plan, indexes: readonly number[]): Plan {
  const needed = new Set(indexes)
  for (const { index: at, inputs } of plan.nodes.toReversed()) if (needed.has(at)) for (const { from } of inputs) needed.add(from.node)
  return { graph: { ...plan.graph, outputs: [] }, nodes: plan.nodes.filter(({ index: at }) => needed.has(at)), needsIds: false }
}

/** Returns the keys that a plan reads. */
export function keysOf({ nodes }: Plan): string[] {
  return [...new Set(nodes.flatMap(({ keys }) => keys.map(({ key }) => key)))]
}

/** Returns values of the fields that a part of a graph depends on: at and beside the numbers of the graph and the bounds of the schemas. */
export function candidates({ plan }: Known, { form, pass }: KindPasses, part: Plan): FieldValues[] {
  const numbers = numbersOf(plan).slice(0, MOST_VALUES)
  const fields = (form?.fields ?? []).filter(({ name }) => keysOf(part).includes(name) && !pass.isMemory(name))
  const choices = fields.map((field) =>
    valuesOf(field, numbers)
      .filter((value) => typeof value !== 'object')
      .slice(0, MOST_VALUES),
  )
  const at = (place: number, index: number): number | boolean => choices[place]?.[index % (choices[place]?.length || 1)] as number | boolean
  const made = (indexOf: (place: number) => number): FieldValues =>
    new Map(fields.flatMap(({ name }, place) => (choices[place]?.length === 0 ? [] : [[name, at(place, indexOf(place))] as const])))
  const mixed = (round: number): FieldValues => {
    let left = round
    return made((place) => {
      const size = choices[place]?.length || 1
      const index = left % size
      left = Math.floor(left / size)
      return index
    })
  }
  const even = Array.from({ length: MOST_VALUES }, (_, round) => made(() => round))
  return [new Map(), ...even, ...Array.from({ length: MOST_TRIED }, (_, round) => mixed(round))]
}
