import type { Severity } from '../../../kernel/journal/fault.ts'
import type { JsonObject } from '../../../kernel/journal/json.ts'
import type { TypedEdge } from '../model/typed.ts'
import type { LintCode } from './faults.ts'
import type { LintSubject } from './subject.ts'

/** What a rule says of one place of a pipeline; where that stands in the file is looked up afterwards. */
export interface LintFinding {
  readonly message: string
  /** The node that it is about. */
  readonly node?: string | undefined
  /** The edge that it is about; goes before the node. */
  readonly edge?: Pick<TypedEdge, 'edge'> | undefined
  /** The end of the edge that is meant; all of it unless said. */
  readonly end?: 'from' | 'to' | undefined
  /** The attribute of the edge, else of the node, else of the graph. */
  readonly attribute?: string | undefined
  /** A few words behind the underlined place. */
  readonly note?: string | undefined
  readonly fix?: string | undefined
  readonly data?: JsonObject | undefined
  /** That of the rule unless said. */
  readonly severity?: Severity | undefined
}

/**
 * One rule over a compiled pipeline. Pure: it reads the graph and says what it finds, in the order of nodes or edges. It
 * never throws for a pipeline that compiles, and takes time in proportion to nodes and edges.
 */
export interface LintRule {
  /** The name that findings bear as `rule`. */
  readonly name: string
  /** The page of a rule of Reflex, with its severity. A rule without one is of a host, and warns unless a finding says otherwise. */
  readonly code?: LintCode | undefined
  apply(subject: LintSubject): Iterable<LintFinding>
}
