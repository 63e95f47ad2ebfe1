import type { Json } from '../../../kernel/journal/json.ts'
import type { AttributePart, Path } from '../../../text/index.ts'
import type { BuiltinGuard, Edge, Node, Workflow } from '../types.ts'

/** A read of the board by whoever decides at a node. */
export interface BoardRead {
  /** A board key, or a path into its value: `classes.counts.fix`. */
  readonly path: string
  /** Where it stands, from the node on: `['spec', 'args', 'repo', 'from']`. */
  readonly at: Path
  /** The decision is made also where nothing is there. */
  readonly optional?: boolean
  /** It may name a part of an item of a list instead of the board. */
  readonly ofItem?: boolean
  /** What it is compared with; that stands beside it, as `value`. */
  readonly equals?: Json
}

/** A write to the board by a decision. */
export interface BoardWrite {
  readonly key: string
  /** Each such decision writes it. */
  readonly isCertain: boolean
  /** What it writes, if that is always one of these. */
  readonly values?: readonly Json[] | undefined
  /** Where its key stands, from the node on. */
  readonly at?: Path
  /** `key`: its key is that of the attribute there, and not its value. */
  readonly part?: AttributePart | undefined
  /** Where the one value that it writes stands. */
  readonly valueAt?: Path
}

/** One way in which a decision can come out. */
export interface DecisionCase {
  /** The id of the edge that it takes; undefined for any. */
  readonly edge?: string
  /** What must hold on the board, after what the node itself has written. */
  readonly when: readonly BuiltinGuard[]
  readonly reads: readonly BoardRead[]
  readonly writes: readonly BoardWrite[]
}

/** What whoever decides at a node reads and writes, as its spec says it. */
export interface NodeFlow {
  readonly reads: readonly BoardRead[]
  /** What it writes on every way, before what the way writes. */
  readonly writes: readonly BoardWrite[]
  /** At least one. */
  readonly cases: readonly DecisionCase[]
}

/**
 * Says what whoever decides at a node reads and writes; undefined where nobody knows. Specs are read by those who
 * understand them and never by Reflex (seed workflow 2.3), so this is passed in. `leaving`: the edges that leave the node,
 * by who knows them already.
 */
export type Effects = (workflow: Workflow, node: Node, leaving?: readonly Edge[]) => NodeFlow | undefined

/** A node's flow with what its declarations add. */
export interface KnownFlow extends NodeFlow {
  /** It may write any key beside. */
  readonly writesAnyKey: boolean
  /** It may write and wait before it decides, so that its own edges see what it wrote (reference workflow C5). */
  readonly mayWait: boolean
}

const ANY_CASE: readonly DecisionCase[] = [{ when: [], reads: [], writes: [] }]

/**
 * The flow of a node: what is known of its spec, and its declared outputs. Of a spec that nobody knows the outputs
 * are everything, if the workflow declares anything; where it declares nothing, the node may write whatever it likes.
 */
export function flowOf(
  workflow: Workflow,
  node: Node,
  effects: Effects | undefined,
  declares: boolean,
  leaving?: readonly Edge[],
): KnownFlow {
  const declared = (node.outputs ?? []).map(({ key, guaranteed }): BoardWrite => ({ key, isCertain: guaranteed }))
  const known = effects?.(workflow, node, leaving)
  if (known === undefined) return { reads: [], writes: declared, cases: ANY_CASE, writesAnyKey: !declares, mayWait: true }
  const specKeys = new Set([...known.writes, ...known.cases.flatMap(({ writes }) => writes)].map(({ key }) => key))
  const declaredOnly = declared.filter(({ key, isCertain }) => isCertain || !specKeys.has(key))
  return { ...known, writes: [...known.writes, ...declaredOnly], writesAnyKey: false, mayWait: false }
}
