import { defineFaults } from '../../../kernel/index.ts'
import { FLOW_ENTRIES } from './faults-flow.ts'
import { SHAPE_ENTRIES } from './faults-shape.ts'

/** What is proved of a tree without a run: R1280 to R1299. */
export const checkFaults = defineFaults({ ...SHAPE_ENTRIES, ...FLOW_ENTRIES })

export type CheckCode = keyof typeof checkFaults.entries
