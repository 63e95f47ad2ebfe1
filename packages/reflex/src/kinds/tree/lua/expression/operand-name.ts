import { isNode, type Expression } from './forms.ts'
import { literalValue } from './literals.ts'

/** The largest integer that Lua writes into the instruction that reads a field. */
const LARGEST_PLAIN_INDEX = 255

/** Returns the name of an operand as Lua's messages show it, ` (field 'count')`; an empty text if it has none. */
export function operandName(expression: Expression): string {
  if (!isNode(expression)) return ''
  switch (expression[0]) {
    case 'bb':
    case 'ctx':
      return ` (field '${expression[1]}')`
    case 'index':
      return ` (field '${keyName(expression[2])}')`
    case 'and':
    case 'or': {
      // Lua leaves out a constant that does not decide, so that the rest has its own name.
      const left = literalValue(expression[1])
      if (!left.literal) return ''
      const isTrue = left.value !== undefined && left.value !== false
      return isTrue === (expression[0] === 'and') ? operandName(expression[2]) : ''
    }
    default:
      return ''
  }
}

function keyName(key: Expression): string {
  if (typeof key === 'string') return key
  return typeof key === 'number' && Number.isSafeInteger(key) && key >= 0 && key <= LARGEST_PLAIN_INDEX ? 'integer index' : '?'
}
