import type { ExpressionRead } from '../../../text/index.ts'
import { guardExpression } from '../guards/cel-guard.ts'
import type { CelGuard } from '../types/index.ts'

const WHOLE_BOARD: readonly ExpressionRead[] = [{ key: undefined, path: [], what: 'value', isOptional: true, offset: 0, length: 0 }]

/** Returns the reads of the board in the expression of a guard. An invalid expression counts as a read of the whole board. */
export function readsOfGuard(guard: CelGuard): readonly ExpressionRead[] {
  return guardExpression(guard).expression?.reads ?? WHOLE_BOARD
}
