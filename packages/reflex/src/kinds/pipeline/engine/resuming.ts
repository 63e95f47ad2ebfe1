import { type Frame, isObject, type Json, type JsonObject } from '../../../kernel/index.ts'
import { isOn } from '../dot/graph.ts'
import { unpackLabel } from '../../../policy/label.ts'
import { advance, endNow } from './advance.ts'
import { markLabel } from './labels.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { Position } from '../contract/position.ts'
import {
  jumpKey,
  storeCount,
  storeHash,
  storeOutcome,
  storeRepeated,
  storeRestarts,
  type RepeatCount,
  RESUMED,
} from '../contract/engine-board.ts'
import type { FrameStep } from './frame-step.ts'

/** The state with which a run begins at a checkpoint: plain data, and part of its first record. */
export interface StoredRun {
  /** The path of the checkpoint, for events. */
  readonly checkpoint: string
  /** The last completed node. */
  readonly current_node: string
  /** The completed nodes in order; a node that was completed twice is listed twice. */
  readonly completed: readonly string[]
  readonly outcomes: Readonly<Record<string, Outcome>>
  readonly context: JsonObject
  readonly lineage: JsonObject
  readonly logs: readonly Json[]
  readonly retries: Readonly<Record<string, number>>
  readonly visits: Readonly<Record<string, number>>
  readonly hashes: Readonly<Record<string, string>>
  /** The number of jumps from a node to a target after a failure, as `from/to`. */
  readonly jumps: Readonly<Record<string, number>>
  readonly pending: readonly string[]
  /** The goal gates that are open although they were passed. */
  readonly recheck: readonly string[]
  /** The goal gates that branches completed: `n` and `branch` of their stored outcomes. */
  readonly gates: Readonly<Record<string, readonly [n: number, place: number]>>
  /** The labels of values, as the board stores them. */
  readonly taint: JsonObject
  readonly round: number
  readonly returns: number
  readonly repeated?: RepeatCount
  readonly restarts?: RepeatCount
  /** The pipeline after the changes of the run, and the hash of the one with which the run began. */
  readonly adapted?: StoredGraph
  readonly spent?: StoredUsage
  /** The last completed node has failed and is executed again. */
  readonly again?: true
}

/** The usage of the run that a checkpoint was made of. `steps`: those of its branches and of the programs that it called. */
export interface StoredUsage {
  readonly tokens: number
  readonly cost: number
  readonly calls: number
  readonly steps?: number
  /** Uses of grants that may be used so many times, by grant. */
  readonly uses?: Readonly<Record<string, number>>
}

/** A pipeline that its own run had changed. */
export interface StoredGraph {
  readonly dot: string
  readonly version: number
  /** The hash of the pipeline with which the run began. */
  readonly from: string
  /** True if the signature of the checkpoint proves the text; otherwise the text is untrusted. */
  readonly proven: boolean
}

/** The argument with the state of a checkpoint. Users cannot pass it: inputs that begin with `#` are refused. */
const STORED_RUN = '#checkpoint'

/** Returns the arguments of a run that begins at a checkpoint. */
export function storedRunArgument(held: StoredRun): JsonObject {
  return { [STORED_RUN]: held as unknown as Json }
}

/**
 * Returns the state of the checkpoint at which a run began. Only the arguments of the run itself count, not those of a
 * caller.
 */
export function storedRunOf({ link, args }: Frame): StoredRun | undefined {
  if (link !== undefined || !isObject(args)) return undefined
  return args[STORED_RUN] as unknown as StoredRun | undefined
}

/** Writes the values of a checkpoint, and restores its position (reference pipeline 3.13). */
export function restoreRun(step: FrameStep, held: StoredRun): void {
  if (held.adapted !== undefined) step.become(held.adapted.dot, held.adapted.version, held.adapted.proven ? undefined : 'untrusted')
  const { x, typed } = step
  const { round, completed } = held
  for (const [key, value] of Object.entries(held.context)) x.set(key, value)
  for (const [node, outcome] of Object.entries(held.outcomes)) restoreOutcome(step, held, node, outcome)
  for (const [node, hash] of Object.entries(held.hashes)) storeHash(x, node, hash)
  for (const [edge, times] of Object.entries(held.jumps)) storeCount(x, jumpKey(edge), times)
  for (const [key, label] of Object.entries(held.taint)) markLabel(step, key, unpackLabel(label))
  if (held.repeated !== undefined) storeRepeated(x, ...held.repeated)
  if (held.restarts !== undefined) storeRestarts(x, ...held.restarts)
  restoreUsage(step, held)
  x.set(RESUMED, true)
  const last = completed.findLast((id) => typed.nodes.get(id)?.canonical !== 'branch' && held.outcomes[id] !== undefined)
  const outcome = last === undefined ? undefined : held.outcomes[last]
  const stage: Partial<Position> =
    last === undefined || outcome === undefined
      ? {}
      : {
          last,
          status: outcome.status,
          ...(outcome.preferred_label === undefined ? {} : { label: outcome.preferred_label }),
          ...(outcome.status === 'fail' && outcome.failure_reason !== undefined ? { reason: outcome.failure_reason } : {}),
        }
  const pending = held.pending.filter((id) => typed.nodes.has(id)).map((id) => [id, edgeTo(step, id)] as const)
  const isPartial = completed.some((id) => held.outcomes[id]?.status === 'partial_success')
  step.setPosition({
    ...stage,
    node: held.current_node,
    phase: 'outside',
    steps: completed.length,
    ...(round === 0 ? {} : { round }),
    ...(held.returns === 0 ? {} : { returns: held.returns }),
    ...(isPartial ? { partial: true as const } : {}),
    ...(pending.length === 0 ? {} : { pending }),
  })
  step.note('pipeline_resumed', { checkpoint: held.checkpoint, current_node: held.current_node })
}

/** Adds the usage of the checkpoint's run to that of this run. */
function restoreUsage({ x }: FrameStep, { spent, completed }: StoredRun): void {
  const { tokens = 0, cost = 0, calls = 0, steps = 0, uses = {} } = spent ?? {}
  x.addUsage({ tokens, cost, calls, steps: steps + completed.length })
  if (Object.keys(uses).length > 0) x.useGrants(uses)
}

function restoreOutcome({ x }: FrameStep, held: StoredRun, node: string, outcome: Outcome): void {
  const { context_updates: _updates, retryable: _retryable, ...kept } = outcome
  const retries = held.retries[node] ?? 0
  const gate = Object.hasOwn(held.gates, node) ? held.gates[node] : undefined
  storeOutcome(x, held.round, node, {
    ...kept,
    n: held.completed.lastIndexOf(node) + 1,
    restored: true,
    v: held.visits[node] ?? Math.max(1, held.completed.filter((id) => id === node).length),
    ...(retries > 0 ? { retries } : {}),
    ...(held.recheck.includes(node) ? { recheck: true as const } : {}),
    ...(gate === undefined ? {} : { n: gate[0], branch: gate[1] }),
  })
}

/** Returns the edge of a fan-out that leads to a branch which remains to be walked. */
function edgeTo({ typed }: FrameStep, id: string): number {
  const edges = (typed.incoming.get(id) ?? []).map(({ edge }) => edge)
  const forking = edges.find(({ from }) => isOn(typed.nodes.get(from)?.node.attributes ?? new Map(), 'fan_out'))
  return (forking ?? edges[0])?.index ?? -1
}

/**
 * Continues from the last completed node with its recorded outcome, by the rules of every node (reference pipeline 3.3,
 * 3.4).
 */
export function continueRun(step: FrameStep, held: StoredRun): void {
  const { node } = step
  const outcome = held.outcomes[node.id]
  if (outcome === undefined && node.canonical !== 'exit') return advance(step, node, { status: 'skipped' })
  if (outcome?.status === 'fail' && node.canonical === 'exit')
    return endNow(step, { status: 'fail', reason: outcome.failure_reason ?? 'failed' })
  advance(step, node, outcome ?? { status: 'success' })
}
