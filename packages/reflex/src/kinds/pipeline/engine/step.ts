import { isObject, type Input } from '../../../kernel/index.ts'
import { endNow } from './advance.ts'
import { unpackLabel } from '../../../policy/label.ts'
import type { BranchArgs } from '../contract/branch.ts'
import { attempt, enter } from './executing.ts'
import { markLabel } from './labels.ts'
import { limitTimer } from './limit-timer.ts'
import type { Engine } from './engine.ts'
import { storedRunOf, restoreRun } from './resuming.ts'
import { beginWalk, takeInput } from './take-input.ts'
import { INTERNAL } from '../contract/engine-board.ts'
import { type Step, FrameStep } from './frame-step.ts'

/** Steps a frame of a pipeline. Pure: the same state and input give the same record. */
export function stepFrame(x: Step, engine: Engine, input: Input | undefined): void {
  const step = new FrameStep(x, engine)
  if (x.position === undefined) begin(step)
  else if (input !== undefined) takeInput(step, input)
  else if (step.position.phase === 'outside') beginAfterInputs(step)
  else if (step.position.phase === 'close' || step.position.hook !== undefined) attempt(step)
  else enter(step)
  step.end()
}

/** Begins a pipeline: writes its inputs. */
function begin(step: FrameStep): void {
  const { x, branch, typed } = step
  if (branch !== undefined) return beginBranch(step, branch)
  step.setPosition({ node: typed.start ?? '', phase: 'outside', steps: 0 })
  step.note('pipeline_started', { node_count: typed.nodes.size })
  const held = storedRunOf(x.frame)
  if (held !== undefined) restoreRun(step, held)
  for (const [key, value] of Object.entries(isObject(x.args) ? x.args : {})) if (!key.startsWith(INTERNAL)) x.set(key, value)
}

/** Begins the walk. A pipeline that is called asks first what the programs of its callers have read. */
function beginAfterInputs(step: FrameStep): void {
  if (step.x.frame.link === undefined) beginWalk(step)
  else step.x.request('outside')
}

/** Begins a branch at the end of its edge, or executes one item. */
function beginBranch(step: FrameStep, { spec, timeout, given, index: _index, steps: _steps, ...before }: BranchArgs): void {
  const { x, typed } = step
  const edge = spec.edge === undefined ? undefined : typed.graph.edges[spec.edge]
  step.setPosition({
    ...before,
    node: spec.item?.id ?? edge?.to ?? '',
    phase: 'enter',
    steps: 0,
    since: x.now,
    ...(spec.edge === undefined ? {} : { edge: spec.edge }),
  })
  for (const [key, value] of Object.entries(spec.values ?? {})) {
    x.set(key, value)
    markLabel(step, key, unpackLabel(given))
  }
  if (timeout !== undefined) limitTimer(x, timeout, 'branch')
  if (spec.until !== undefined && spec.until === step.position.node) return endNow(step, { status: 'success' })
  enter(step)
}
