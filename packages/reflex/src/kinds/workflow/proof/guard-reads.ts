import type { ExpressionRead } from '../../../text/index.ts'
import { guardExpression } from '../cel-guard.ts'
import type { CelGuard } from '../types.ts'

const WHOLE_BOARD: readonly ExpressionRead[] = [{ key: undefined, path: [], what: 'value', isOptional: true, offset: 0, length: 0 }]

/** Where the expression of a guard reads the board; one that cannot be read looks at all of it. */
export function readsOfGuard(guard: CelGuard): readonly ExpressionRead[] {
  return guardExpression(guard).expression?.reads ?? WHOLE_BOARD
}
