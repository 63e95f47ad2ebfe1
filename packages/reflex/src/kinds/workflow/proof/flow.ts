import type { Json } from '../../../kernel/index.ts'
import type { AttributePart, Path } from '../../../text/index.ts'
import type { BuiltinGuard, Edge, Node, Workflow } from '../types/index.ts'

/** A read of the board by the agent at a node. */
export interface BoardRead {
  /** A board key, or a path into its value: `classes.counts.fix`. */
  readonly path: string
  /** The place of the read, from the node on: `['spec', 'args', 'repo', 'from']`. */
  readonly at: Path
  /** True if the decision is also made without this value. */
  readonly optional?: boolean
  /** True if the path may name a part of an item of a list instead of the board. */
  readonly ofItem?: boolean
  /** The value that the read is compared with. It stands beside the read, as `value`. */
  readonly equals?: Json
}

/** A write to the board by a decision. */
export interface BoardWrite {
  readonly key: string
  /** True if each such decision writes the key. */
  readonly isCertain: boolean
  /** The possible values, if they are known. */
  readonly values?: readonly Json[] | undefined
  /** The place of its key, from the node on. */
  readonly at?: Path
  /** `key`: the board key is the name of the attribute there, not its value. */
  readonly part?: AttributePart | undefined
  /** The place of the only value that it writes. */
  readonly valueAt?: Path
}

/** One possible outcome of a decision. */
export interface DecisionCase {
  /** The id of the edge of this outcome; undefined for any edge. */
  readonly edge?: string
  /** The guards that must pass on the board after the writes of the node itself. */
  readonly when: readonly BuiltinGuard[]
  readonly reads: readonly BoardRead[]
  readonly writes: readonly BoardWrite[]
}

/** The reads and writes of the agent at a node, read from its spec. */
export interface NodeFlow {
  readonly reads: readonly BoardRead[]
  /** The writes of every case. They come before the writes of the case. */
  readonly writes: readonly BoardWrite[]
  /** At least one. */
  readonly cases: readonly DecisionCase[]
}

/**
 * Returns the reads and writes of the agent at a node; undefined if they are unknown. Agents read specs and Reflex never does
 * (seed workflow 2.3), so this function is passed in. `leaving` has the edges that leave the node, if the caller knows them.
 */
export type Effects = (workflow: Workflow, node: Node, leaving?: readonly Edge[]) => NodeFlow | undefined

/** The flow of a node with its declarations. */
export interface KnownFlow extends NodeFlow {
  /** True if the node may also write unknown keys. */
  readonly writesAnyKey: boolean
  /** True if the node may write and wait before it decides, so that its own edges see these writes (reference workflow C5). */
  readonly mayWait: boolean
}

const ANY_CASE: readonly DecisionCase[] = [{ when: [], reads: [], writes: [] }]

/**
 * Returns the flow of a node: the flow of its spec, and its declared outputs. For an unknown spec, the outputs are complete if
 * the workflow declares anything; otherwise the node may write any key.
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
