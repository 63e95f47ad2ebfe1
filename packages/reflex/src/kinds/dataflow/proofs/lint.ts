import type { FaultDetails } from '../../../kernel/index.ts'
import type { GraphNode } from '../model/graph.ts'
import type { proofFaults } from './faults.ts'

/** A finding before its place is known. */
export interface Lint {
  readonly code: Parameters<typeof proofFaults.finding>[0]
  readonly message: string
  readonly node: GraphNode
  readonly fix?: string
  readonly severity?: FaultDetails['severity']
}
