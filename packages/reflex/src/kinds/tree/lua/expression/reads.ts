import { type Expression, isNode, partsOf } from './forms.ts'

/** The keys of the board that an expression reads, in the order of the text. */
export function reads(expression: Expression): readonly string[] {
  if (!isNode(expression)) return []
  const [form, key] = expression
  if (form === 'bb' || form === 'get' || form === 'has') return [String(key)]
  return [...new Set(partsOf(expression).flatMap(reads))]
}
