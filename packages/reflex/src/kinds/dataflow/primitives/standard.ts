import type { Primitive } from '../model/primitive.ts'
import { ACTIONS } from './actions.ts'
import { ARITHMETIC } from './arithmetic.ts'
import { COMPARISONS } from './comparisons.ts'
import { LOGIC_OPERATORS } from './logic.ts'
import { SELECTION } from './selection.ts'
import { SERIES } from './series.ts'
import { SOURCES } from './sources.ts'
import { TRIGGERS } from './triggers.ts'

/** The built-in primitives by theme, in the order of their documentation (reference 2.4). */
export const STANDARD_THEMES = {
  Sources: SOURCES,
  Arithmetic: ARITHMETIC,
  Comparisons: COMPARISONS,
  Logic: LOGIC_OPERATORS,
  Selection: SELECTION,
  Series: SERIES,
  Triggers: TRIGGERS,
  Actions: ACTIONS,
} as const satisfies Record<string, readonly Primitive[]>

/** The built-in primitives. */
export const STANDARD: readonly Primitive[] = Object.values(STANDARD_THEMES).flat()
