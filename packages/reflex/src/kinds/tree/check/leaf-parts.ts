import type { CompiledTree } from '../compile/compiled.ts'
import type { Conditions } from './conditions.ts'
import type { Findings } from './finding.ts'
import type { Reads } from './reads.ts'
import type { ValuesAt } from './values-at.ts'
import type { TreeOf } from './writes.ts'

/** What the checks of leaves need to know. */
export interface LeafParts {
  readonly tree: CompiledTree
  readonly values: ValuesAt
  readonly conditions: Conditions
  readonly reads: Reads
  readonly findings: Findings
  readonly treeOf: TreeOf
}
