import { BOARD } from './board.ts'
import { CORE } from './core.ts'
import { ORDER } from './order.ts'
import { PATTERN_FUNCTIONS } from './pattern-functions.ts'
import { PATTERN_ITEMS } from './pattern-items.ts'
import { PATTERNS } from './patterns.ts'
import { PRELUDES } from './preludes.ts'
import { STRINGS } from './strings.ts'
import { TABLES } from './tables.ts'

/** The parts of the sandbox in the order in which they run. Each is a chunk that gets the functions of the host and the shared table. */
export const SANDBOX: readonly string[] = [CORE, ORDER, TABLES, PATTERN_ITEMS, PATTERNS, PATTERN_FUNCTIONS, STRINGS, BOARD, PRELUDES]
