import { defineFaults } from '../../../kernel/index.ts'
import { FLOW_ENTRIES } from './faults-flow.ts'
import { NODE_ENTRIES } from './faults-node.ts'
import { SHAPE_ENTRIES } from './faults-shape.ts'

/**
 * The lint findings of pipelines: their shape (R1120 to R1131), their nodes (R1132 to R1143 and R1190 to R1193), their edges
 * (R1145 to R1157).
 */
export const lintFaults = defineFaults({ ...SHAPE_ENTRIES, ...NODE_ENTRIES, ...FLOW_ENTRIES })

export type LintCode = keyof typeof lintFaults.entries
