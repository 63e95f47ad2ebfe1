import type { Inputs } from '../model/primitive.ts'

type Decide = (inputs: Inputs) => readonly string[]

const both: Decide = (inputs) => Object.keys(inputs)
const choice: Decide = ({ cond }) => ['cond', cond === true ? 'when_true' : 'when_false']
const none: Decide = () => []

/** Returns the inputs with a value that decides alone, or all of them if none has it. */
function alone(...values: readonly unknown[]): Decide {
  return (inputs) => {
    const deciding = Object.keys(inputs).filter((port) => values.includes(inputs[port]))
    return deciding.length === 0 ? both(inputs) : deciding
  }
}

function extreme(pick: (a: number, b: number) => number): Decide {
  return ({ a, b }) => {
    const chosen = pick(Number(a), Number(b))
    return [...(a === chosen ? ['a'] : []), ...(b === chosen ? ['b'] : [])]
  }
}

const DECISIONS: Readonly<Record<string, Decide>> = {
  const_number: none,
  const_bool: none,
  and: alone(false),
  or: alone(true),
  emit_if_event_and_true: alone(false, 'NotEmitted'),
  select: choice,
  select_bool: choice,
  min: extreme(Math.min),
  max: extreme(Math.max),
  multiply: alone(0),
  safe_divide: ({ b }) => (b === 0 ? ['b'] : ['a', 'b']),
}

/**
 * Returns the inputs that decided what a node emits: the branch that a choice took, the operand that is false for `and`. All connected inputs
 * for a primitive of the host.
 */
export function decidingInputs(op: string | undefined, inputs: Inputs): readonly string[] {
  const decide = op !== undefined && Object.hasOwn(DECISIONS, op) ? DECISIONS[op] : undefined
  return (decide ?? both)(inputs)
}
