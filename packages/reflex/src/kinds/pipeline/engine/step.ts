import { isObject, type Json, type JsonObject } from '../../../kernel/journal/json.ts'
import type { Input } from '../../../kernel/journal/record.ts'
import { endNow } from './advance.ts'
import type { Permissions } from '../contract/handler.ts'
import { unpackLabel } from '../../../policy/label.ts'
import type { BranchArgs } from '../contract/branch.ts'
import { permissionsRequest } from './permissions.ts'
import { attempt, enter } from './executing.ts'
import { markLabel } from './labels.ts'
import type { Engine } from './engine.ts'
import { storedRunOf, restoreRun } from './resuming.ts'
import { takeInput } from './take-input.ts'
import { storePermissions, INTERNAL, EngineBoard } from '../contract/engine-board.ts'
import { type Step, FrameStep } from './frame-step.ts'

/** Steps a frame of a pipeline. Pure: the same state and input give the same record. */
export function stepFrame(x: Step, engine: Engine, input: Input | undefined): void {
  const step = new FrameStep(x, engine)
  if (input?.[0] === 'kernel') forked(step, input[2])
  else if (x.position === undefined) begin(step)
  else if (input !== undefined) takeInput(step, input)
  else if (step.position.phase === 'close' || step.position.hook !== undefined) attempt(step)
  else enter(step)
  if (step.remarks.length > 0) x.note(step.remarks)
}

/** Begins a pipeline: writes its inputs, and requests the operator's permissions. */
function begin(step: FrameStep): void {
  const { x, branch, typed } = step
  if (branch !== undefined) return beginBranch(step, branch)
  step.setPosition({ node: typed.start ?? '', phase: 'charter', steps: 0 })
  step.note('pipeline_started', { node_count: typed.nodes.size })
  const held = storedRunOf(x.frame)
  if (held !== undefined) restoreRun(step, held)
  for (const [key, value] of Object.entries(isObject(x.args) ? x.args : {})) if (!key.startsWith(INTERNAL)) x.set(key, value)
  x.request(...permissionsRequest(step.typed))
}

/**
 * Continues as another run, under the permissions of that run: trust, grants, limits, folders. The history stays: the
 * time of the beginning, the earlier usage, and the seed of random draws. The features of the host stay too, because a
 * handler in the middle of its work must find the same ones. Each frame stores this: a branch sees the state of its
 * spawner from before.
 */
function forked({ x }: FrameStep, detail: Json | undefined): void {
  const before = EngineBoard.in(x).permissions
  if (before === undefined || !isObject(detail)) return
  const { run, said } = detail
  const { draws = before.run, toolHooks, hooks, summarises, council, actions } = before
  const {
    toolHooks: _toolHooks,
    hooks: _hooks,
    summarises: _summarises,
    council: _council,
    actions: _actions,
    ...settled
  } = isObject(said) ? (said as unknown as Permissions) : before
  storePermissions(x, {
    ...settled,
    ...(typeof run === 'string' ? { run } : {}),
    draws,
    ...(toolHooks === undefined ? {} : { toolHooks }),
    ...(hooks === undefined ? {} : { hooks }),
    ...(summarises === undefined ? {} : { summarises }),
    ...(council === undefined ? {} : { council: { ...council } }),
    ...(actions === undefined ? {} : { actions }),
  } as unknown as JsonObject)
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
  if (timeout !== undefined) x.timer(timeout, 'branch')
  if (spec.until !== undefined && spec.until === step.position.node) return endNow(step, { status: 'success' })
  enter(step)
}
