import { type Fault, type Input, isObject, type Json, type JsonObject, type Ref } from '../../../kernel/index.ts'
import type { Layout } from '../compile/layout.ts'
import type { Settled } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { CALLBACK } from '../nodes/conditions.ts'
import { endRun } from './ending.ts'
import { oneTick } from './one-tick.ts'
import { recoveryEnded } from './recovery.ts'
import { save } from './save.ts'
import type { TreeStep } from './tree-step.ts'
import { Ticking } from './ticking.ts'
import { ACTIVE, COMPLETED, FAILED, IS_RUNNING } from './states.ts'
import type { TreeState } from './tree-state.ts'
import { dropToken } from './yielding.ts'

/** The operation of a leaf has ended: the tree is ticked, or its tick continues. */
export function settled(x: TreeStep, state: TreeState, ref: Ref, result: Settled): void {
  const node = state.nodeOf(ref)
  if (node === undefined) return calledBack(x, state, ref, result)
  if (state.open !== undefined && state.open.ref !== ref) {
    // The tick waits for another leaf: this result is kept until its node is ticked.
    const { operations, events } = Ticking.begin(x, state)
    operations.settle(node, result)
    operations.store()
    return save(x, state, events)
  }
  if (state.open === undefined) dropToken(x, state)
  oneTick(x, state, { prepare: ({ operations }) => operations.settle(node, result) })
}

/** A function that was called beside the operation of a node has answered. */
function calledBack(x: TreeStep, state: TreeState, ref: Ref, result: Settled): void {
  const args = x.pendingEffects().find(({ id }) => id === ref)?.args
  const path = isObject(args) && args.as === CALLBACK ? args.node : undefined
  const node = path === undefined ? undefined : state.layout.nodes.find((one) => one.path === path)
  if (node === undefined || state.state(node) !== IS_RUNNING) return save(x, state)
  const ticking = Ticking.begin(x, state)
  ticking.calledBack(node, result)
  save(x, state, ticking.events)
}

export function strandEnded(x: TreeStep, state: TreeState, [, ref, status, value = null]: Input & readonly ['end', ...unknown[]]): void {
  const recovered = recoveryEnded(x, ref, status)
  if (recovered !== undefined || state.nodeOf(ref) === undefined) {
    x.drop(ref)
    if (recovered !== undefined && (state.status === COMPLETED || state.status === FAILED)) endRun(x, state)
    return save(x, state, recovered)
  }
  const strand = x.strandResult(ref)
  const result: Settled = status === 'done' ? { ok: true, value, strand } : { ok: false, fault: faultOf(status, value) }
  settled(x, state, ref, result)
  x.drop(ref)
}

function faultOf(status: string, value: Json): Fault {
  if (status === 'failed' && isObject(value)) return value as unknown as Fault
  return faults.make('R1252', 'the called program was cancelled', { rule: 'E6002' })
}

/** True if a node of the tree, or of those to which it refers, reads a text while it grows, so that each piece is a tick. */
function readsStreams({ nodes }: Layout): boolean {
  const trees = [...new Set(nodes.map(({ tree }) => tree))]
  return trees.some(({ streams }) => [...streams].some((key) => trees.some(({ reads }) => reads === undefined || reads.has(key))))
}

/** The operation of a leaf has progressed. */
export function part(x: TreeStep, state: TreeState, ref: Ref, delta: Json): void {
  const node = state.nodeOf(ref)
  if (node === undefined) return save(x, state)
  const { running, progress }: JsonObject = isObject(delta) ? delta : {}
  if (state.open?.ref === ref && (running === true || progress === true)) {
    // The leaf takes longer than a tick: the tick goes on with RUNNING.
    const prepare = (ticking: Ticking): void => {
      ticking.operations.leaveOpen(node)
      if (progress === true) state.setProgress(node.index, x.now)
      node.manifest.behaviour.part?.(ticking, node, delta)
    }
    return oneTick(x, state, { prepare, running: node })
  }
  state.setProgress(node.index, state.timeAt(x.now))
  const ticking = Ticking.begin(x, state)
  const wants = node.manifest.behaviour.part?.(ticking, node, delta)
  const wantsTick = wants === 'now' || (wants === true && readsStreams(state.layout))
  const { events } = ticking
  if (wantsTick && state.status === ACTIVE && state.open === undefined)
    return oneTick(x, state, { prepare: (tick) => void tick.events.push(...events) })
  save(x, state, events)
}
