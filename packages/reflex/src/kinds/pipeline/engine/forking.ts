import { type Frame, isObject, type Json, type JsonObject, type StrandResult, type Ref } from '../../../kernel/index.ts'
import { packLabel } from '../../../policy/label.ts'
import { inputsLabel } from './labelling.ts'
import { branchArgs, type BranchValue } from '../contract/branch.ts'
import type { Ask, BranchResult, ForkAsk } from '../contract/handler.ts'
import { isGood } from '../contract/outcome.ts'
import type { Waiting } from '../contract/position.ts'
import { INTERNAL } from '../contract/engine-board.ts'
import type { FrameStep } from './frame-step.ts'

type ForkState = Extract<Waiting, { is: 'fork' }>

/** Begins the first branches of a fork. */
export function startFork(step: FrameStep, ask: ForkAsk): ForkState {
  return startBranches(step, ask, { is: 'fork', next: 0, good: 0, running: 0 })
}

function startBranches(step: FrameStep, { fork, atOnce, timeout, steps }: ForkAsk, state: ForkState): ForkState {
  const { x, position, node } = step
  let { next, running } = state
  const { round, last, status, label, reason } = position
  const before = {
    ...(round === undefined ? {} : { round }),
    ...(last === undefined ? {} : { last }),
    ...(status === undefined ? {} : { status }),
    ...(label === undefined ? {} : { label }),
    ...(reason === undefined ? {} : { reason }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(steps === undefined ? {} : { steps }),
    ...inputsLabelOf(step, fork),
  }
  for (; next < fork.length && running < Math.max(1, atOnce); next++) {
    const spec = fork[next]
    if (spec === undefined) break
    x.spawn(null, { args: branchArgs({ spec, index: next, ...before }) })
    running++
    step.note('parallel_branch_started', { node_id: node.id, branch: spec.id, index: next })
  }
  return { ...state, next, running }
}

/**
 * Returns the label of the values that branches receive: it is at least as restrictive as the label of the node's
 * inputs.
 */
function inputsLabelOf(step: FrameStep, fork: ForkAsk['fork']): { readonly given?: Json } {
  const packed = fork.some(({ values }) => values !== undefined) ? packLabel(inputsLabel(step.token())) : null
  return packed === null ? {} : { given: packed }
}

/** Applies the end of a branch, and begins further ones. Returns true once the fork is over. */
export function forkEnded(step: FrameStep, ask: ForkAsk, strand: Ref): boolean {
  const { x, position } = step
  const state = position.for as ForkState
  const index = branchIndex(step, strand)
  if (index === undefined) return false
  const result = x.strandResult(strand)
  const value = result?.status === 'done' ? (result.value as unknown as BranchValue) : undefined
  const good = isGood(value?.status)
  step.note('parallel_branch_completed', {
    node_id: step.node.id,
    branch: ask.fork[index]?.id ?? '',
    index,
    duration_ms: value?.duration_ms ?? 0,
    success: good,
  })
  const left: ForkState = { ...state, good: state.good + (good ? 1 : 0), running: state.running - 1 }
  const enough = ask.enough !== undefined && left.good >= ask.enough
  const stop = left.stop === true || enough || (ask.failFast === true && !good)
  if (stop && left.stop !== true && left.running > 0) x.kill(...(x.frame.strands?.keys() ?? []))
  const next = stop ? { ...left, stop: true as const } : startBranches(step, ask, left)
  step.setPosition({ ...position, for: next })
  return next.running === 0
}

/** Stops all running branches. Returns false if there are none. */
export function stopFork(step: FrameStep): boolean {
  const { x, position } = step
  const state = position.for as ForkState
  if (state.running === 0) return false
  x.kill(...(x.frame.strands?.keys() ?? []))
  step.setPosition({ ...position, for: { ...state, stop: true } })
  return true
}

/** Returns the results of the branches of a fork, in the order of the branches. */
export function endFork(step: FrameStep, ask: Ask): readonly BranchResult[] {
  if (!('fork' in ask)) return []
  const results = branchResults(step)
  return ask.fork.map(({ id }, i) => branchEnd(id, results[i]?.[1]))
}

/** Returns the strands of this execution; a program of an earlier one may still be ending. */
function branchResults({ x, position: { at = 0 } }: FrameStep): readonly (readonly [Ref, StrandResult])[] {
  return [...(x.frame.strandResults?.entries() ?? [])].filter(([id]) => Number.parseInt(String(id), 10) >= at)
}

/** The indexes of the branches of each frame in this process: each branch of a large fork looks for its own. */
const indexes = new WeakMap<Frame, { readonly at: number; readonly known: ReadonlyMap<Ref, number> }>()

/** Returns the index of a strand among the branches of this execution; undefined for any other strand. */
function branchIndex(step: FrameStep, strand: Ref): number | undefined {
  const { x, position } = step
  const at = position.at ?? 0
  const found = indexes.get(x.frame)
  const index = found?.at === at ? found.known.get(strand) : undefined
  if (index !== undefined) return index
  const known = new Map(branchResults(step).map(([id], place) => [id, place]))
  indexes.set(x.frame, { at, known })
  return known.get(strand)
}

function branchEnd(id: string, result: StrandResult | undefined): BranchResult {
  if (result === undefined || result.status === 'cancelled' || !isObject(result.value))
    return { id, status: 'skipped', context_updates: {}, duration_ms: 0 }
  const context_updates = updatesOf(result.scope.liveEntries())
  if (result.status === 'failed') return { id, status: 'fail', failure_reason: reasonOf(result.value), context_updates, duration_ms: 0 }
  const { status, last_node, notes, failure_reason, duration_ms } = result.value as unknown as BranchValue
  return {
    id,
    status,
    ...(notes === undefined ? {} : { notes }),
    ...(failure_reason === undefined ? {} : { failure_reason }),
    ...(last_node === undefined ? {} : { last_node }),
    context_updates,
    duration_ms,
  }
}

function updatesOf(entries: ReadonlyMap<string, { readonly value: Json | undefined }>): JsonObject {
  return Object.fromEntries(
    [...entries].flatMap(([key, { value }]) => (key.startsWith(INTERNAL) || value === undefined ? [] : [[key, value]])),
  )
}

function reasonOf(value: Json): string {
  return isObject(value) && typeof value['message'] === 'string' ? value['message'] : 'the branch failed'
}
