import type { Known } from './known.ts'
import type { Numbers } from './numbers.ts'
import type { SymbolicNumber } from './symbolic-value.ts'

/** True for a number key for which 0 is a value like others: a count, a total, or one of a few constants. */
export function beginsAtZero({ kinds, writers }: Known, key: string): boolean {
  return kinds.every(({ pass }) =>
    writers.every((writer) => {
      if (writer.key !== key || !pass.canFire(writer.planned.index)) return true
      const value = writer.port === undefined ? undefined : pass.input(writer.planned, writer.port)
      return value?.type === 'Number' && continues(value.number, key, pass.numbers)
    }),
  )
}

/** True for a constant, for the value that a key has, and for a sum or difference with it. */
function continues(number: SymbolicNumber, key: string, numbers: Numbers): boolean {
  if (number.domain.points !== undefined) return true
  if (number.choice !== undefined) return [number.choice.yes, number.choice.no].every((one) => continues(one, key, numbers))
  const own = numbers.termOf(`key ${key}`, number.domain)
  const isSum = (term: number): boolean => {
    const operation = numbers.operations.get(term)
    if (term === own || operation === undefined) return term === own
    return (operation.op === 'add' && isSum(operation.b)) || (['add', 'subtract'].includes(operation.op) && isSum(operation.a))
  }
  return isSum(number.term)
}
