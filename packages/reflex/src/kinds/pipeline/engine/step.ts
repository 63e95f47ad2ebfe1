import { isObject, type Json, type JsonObject } from '../../../kernel/journal/json.ts'
import type { Input } from '../../../kernel/journal/record.ts'
import { endNow } from './advance.ts'
import type { Charter } from '../contract/handler.ts'
import { unpackLabel } from '../contract/label.ts'
import type { BranchArgs } from '../contract/branch.ts'
import { charterRequest } from './charter.ts'
import { attempt, enter } from './executing.ts'
import { markLabel } from './labels.ts'
import type { Engine } from './parts.ts'
import { heldBy, takeOver } from './resuming.ts'
import { take } from './taking.ts'
import { keepCharter, OWN, Tally } from '../contract/tally.ts'
import { type Step, Walk } from './walk.ts'

/** Steps a frame of a pipeline. Pure: the same state and input give the same record. */
export function stepWalk(x: Step, engine: Engine, input: Input | undefined): void {
  const walk = new Walk(x, engine)
  if (input?.[0] === 'kernel') forked(walk, input[2])
  else if (x.position === undefined) begin(walk)
  else if (input !== undefined) take(walk, input)
  else if (walk.position.phase === 'close' || walk.position.hook !== undefined) attempt(walk)
  else enter(walk)
  if (walk.remarks.length > 0) x.note(walk.remarks)
}

/** A pipeline begins with its inputs, and asks what the operator has settled. */
function begin(walk: Walk): void {
  const { x, branch, typed } = walk
  if (branch !== undefined) return beginBranch(walk, branch)
  walk.go({ node: typed.start ?? '', phase: 'charter', steps: 0 })
  walk.note('pipeline_started', { node_count: typed.nodes.size })
  const held = heldBy(x.frame)
  if (held !== undefined) takeOver(walk, held)
  for (const [key, value] of Object.entries(isObject(x.args) ? x.args : {})) if (!key.startsWith(OWN)) x.set(key, value)
  x.request(...charterRequest(walk.typed))
}

/**
 * It goes on as another run, under what is settled for that: trust, grants, limits, folders. History stays: when it began, what was used before, and
 * what its draws come from; and what a host has, since a handler in the middle of its work is to find the same. Each frame
 * keeps it: a branch sees its spawner as that was before.
 */
function forked({ x }: Walk, detail: Json | undefined): void {
  const before = Tally.in(x).charter
  if (before === undefined || !isObject(detail)) return
  const { run, said } = detail
  const { began, aside, before: spent, draws = before.run, toolHooks, hooks, summarises, council, actions } = before
  const {
    toolHooks: _toolHooks,
    hooks: _hooks,
    summarises: _summarises,
    council: _council,
    actions: _actions,
    ...settled
  } = isObject(said) ? (said as unknown as Charter) : before
  keepCharter(x, {
    ...settled,
    ...(typeof run === 'string' ? { run } : {}),
    draws,
    ...(began === undefined ? {} : { began }),
    ...(aside === undefined ? {} : { aside }),
    ...(spent === undefined ? {} : { before: spent }),
    ...(toolHooks === undefined ? {} : { toolHooks }),
    ...(hooks === undefined ? {} : { hooks }),
    ...(summarises === undefined ? {} : { summarises }),
    ...(council === undefined ? {} : { council: { ...council } }),
    ...(actions === undefined ? {} : { actions }),
  } as unknown as JsonObject)
}

/** A branch begins at the end of its edge, or executes one item. */
function beginBranch(walk: Walk, { spec, timeout, given, index: _index, steps: _steps, ...before }: BranchArgs): void {
  const { x, typed } = walk
  const edge = spec.edge === undefined ? undefined : typed.graph.edges[spec.edge]
  walk.go({
    ...before,
    node: spec.item?.id ?? edge?.to ?? '',
    phase: 'enter',
    steps: 0,
    since: x.now,
    ...(spec.edge === undefined ? {} : { edge: spec.edge }),
  })
  for (const [key, value] of Object.entries(spec.values ?? {})) {
    x.set(key, value)
    markLabel(walk, key, unpackLabel(given))
  }
  if (timeout !== undefined) x.timer(timeout, 'branch')
  if (spec.until !== undefined && spec.until === walk.position.node) return endNow(walk, { status: 'success' })
  enter(walk)
}
