import type { Plan, PlannedNode } from '../pass/plan.ts'
import { compares, type Comparison, isComparison } from './formulas.ts'

/** Values of fields of an event, by key. */
export type FieldValues = Map<string, number | boolean>

type Port = { readonly node: number; readonly port: string } | undefined

/** The numbers that a field may be asked to have besides those that are solved for. */
const TRIED = [0, 1, -1, 2]

/**
 * Returns values of fields for which an output has a value, found by undoing each operation; undefined if this finds none. Where both operands
 * vary, one of them gets a plain value. A caller evaluates the graph to confirm it.
 */
export function solve(plan: Plan, at: Port, goal: number | boolean, known: FieldValues = new Map()): FieldValues | undefined {
  return solveAt({ plan, steps: { left: 2000 } }, at, goal, known)
}

interface Search {
  readonly plan: Plan
  readonly steps: { left: number }
}

function solveAt(search: Search, at: Port, goal: number | boolean, known: FieldValues): FieldValues | undefined {
  const planned = search.plan.nodes.find(({ index }) => index === at?.node)
  if (planned === undefined || search.steps.left-- <= 0) return undefined
  const { op, kind } = planned.node.primitive
  const key = planned.keys[0]?.key
  if (kind === 'source' && key !== undefined) {
    const before = known.get(key)
    return before === undefined ? new Map([...known, [key, goal]]) : before === goal ? known : undefined
  }
  const constant = constantOf(planned)
  if (constant !== undefined) return constant === goal ? known : undefined
  const of = (port: string): Port => planned.inputs.find((input) => input.port === port)?.from
  const first = (tries: readonly (readonly [port: string, value: number | boolean])[][]): FieldValues | undefined => {
    for (const wanted of tries) {
      let values: FieldValues | undefined = known
      for (const [port, value] of wanted) values = values === undefined ? undefined : solveAt(search, of(port), value, values)
      if (values !== undefined) return values
    }
    return undefined
  }
  const others = (port: string): readonly number[] => {
    const fixed = search.plan.nodes.find(({ index }) => index === of(port)?.node)
    const value = fixed === undefined ? undefined : constantOf(fixed)
    return typeof value === 'number' ? [value] : TRIED
  }
  return typeof goal === 'boolean' ? first(booleanTries(op, goal, others)) : first(numberTries(op, goal, others))
}

/** Returns the value that a node has in every pass. */
function constantOf({ node: { primitive }, parameters, keys }: PlannedNode): number | boolean | undefined {
  const isConstant = keys.length === 0 && (primitive.kind === 'source' || primitive.op?.startsWith('const_') === true)
  const value = primitive.op === undefined || !isConstant ? undefined : parameters['value']
  return typeof value === 'string' ? undefined : value
}

type Tries = (readonly [port: string, value: number | boolean])[][]
type Others = (port: string) => readonly number[]

function numberTries(op: string | undefined, goal: number, others: Others): Tries {
  const both = (forA: (b: number) => number, forB: (a: number) => number): Tries => [
    ...others('b').map((b): Tries[number] => [
      ['b', b],
      ['a', forA(b)],
    ]),
    ...others('a').map((a): Tries[number] => [
      ['a', a],
      ['b', forB(a)],
    ]),
  ]
  switch (op) {
    case 'negate':
      return [[['value', 0 - goal]]]
    case 'abs':
      return [[['value', goal]], [['value', 0 - goal]]]
    case 'add':
      return both(
        (b) => goal - b,
        (a) => goal - a,
      )
    case 'subtract':
      return both(
        (b) => goal + b,
        (a) => a - goal,
      )
    case 'multiply':
      return both(
        (b) => (b === 0 ? goal : goal / b),
        (a) => (a === 0 ? goal : goal / a),
      )
    case 'divide':
    case 'safe_divide':
      return both(
        (b) => goal * b,
        (a) => (goal === 0 ? 1 : a / goal),
      )
    case 'min':
    case 'max':
      return both(
        (b) => (b === goal ? b : goal),
        (a) => (a === goal ? a : goal),
      )
    case 'select':
      return [
        [
          ['cond', true],
          ['when_true', goal],
        ],
        [
          ['cond', false],
          ['when_false', goal],
        ],
      ]
    default:
      return []
  }
}

function booleanTries(op: string | undefined, goal: boolean, others: Others): Tries {
  switch (op) {
    case 'not':
      return [[['value', !goal]]]
    case 'and':
    case 'or': {
      const isBoth = (op === 'and') === goal
      return isBoth
        ? [
            [
              ['a', goal],
              ['b', goal],
            ],
          ]
        : [[['a', goal]], [['b', goal]]]
    }
    default:
      return op === undefined || !isComparison(op) ? [] : comparisonTries(op, goal, others)
  }
}

/** Returns operands at and beside each other for which a comparison holds, or does not. */
function comparisonTries(by: Comparison, goal: boolean, others: Others): Tries {
  return [0, 1, -1, 0.5, -0.5].flatMap((step) => {
    const given = (port: 'a' | 'b', value: number): Tries => {
      const [a, b] = port === 'b' ? [value + step, value] : [value, value + step]
      const values: Tries[number] = [
        ['a', a],
        ['b', b],
      ]
      return compares(by, a, b) === goal ? [port === 'a' ? values : values.toReversed()] : []
    }
    return [...others('b').flatMap((b) => given('b', b)), ...others('a').flatMap((a) => given('a', a))]
  })
}
