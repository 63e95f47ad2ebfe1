import type { Severity, JsonObject } from '../../../kernel/index.ts'
import type { TypedEdge } from '../model/typed.ts'
import type { LintCode } from './faults.ts'
import type { LintSubject } from './subject.ts'

/** A finding of a rule at one place of a pipeline. The position in the file is added later. */
export interface LintFinding {
  readonly message: string
  /** The node of the finding. */
  readonly node?: string | undefined
  /** The edge of the finding; wins over the node. */
  readonly edge?: Pick<TypedEdge, 'edge'> | undefined
  /** The end of the edge. Default: the whole edge. */
  readonly end?: 'from' | 'to' | undefined
  /** The attribute of the edge, otherwise of the node, otherwise of the graph. */
  readonly attribute?: string | undefined
  /** A short note after the underlined place. */
  readonly note?: string | undefined
  readonly fix?: string | undefined
  readonly data?: JsonObject | undefined
  /** Default: the severity of the rule. */
  readonly severity?: Severity | undefined
}

/** The largest number of listed findings of one rule. The last one states how many are not listed. */
export const MAX_FINDINGS = 20

/** A finding that is only counted. */
const COUNTED: LintFinding = { message: '' }

/** Returns a function that makes findings as long as they are listed: a rule may find something at each of ten thousand nodes. */
export function listed<Found>(make: (found: Found) => LintFinding): (found: Found) => LintFinding {
  let left = MAX_FINDINGS
  return (found) => (left-- > 0 ? make(found) : COUNTED)
}

/**
 * A rule over a compiled pipeline. Pure: reads the graph and yields findings in the order of nodes or edges. Never throws for a
 * pipeline that compiles, and runs in time linear in nodes and edges.
 */
export interface LintRule {
  /** The name of the rule in findings. */
  readonly name: string
  /** The code of a built-in rule, with its severity. A rule of a host has no code; its findings are warnings by default. */
  readonly code?: LintCode | undefined
  apply(subject: LintSubject): Iterable<LintFinding>
}
