import { type Fault, type Input, isObject, type Json, type JsonObject, type Ref } from '../../../kernel/index.ts'
import type { Settled } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { endRun } from './ending.ts'
import { oneTick } from './one-tick.ts'
import { recoveryEnded } from './recovery.ts'
import { save } from './save.ts'
import type { TreeStep } from './tree-step.ts'
import { Ticking } from './ticking.ts'
import { ACTIVE, COMPLETED, FAILED } from './states.ts'
import type { TreeState } from './tree-state.ts'
import { dropToken } from './yielding.ts'

/** The operation of a leaf has ended: the tree is ticked, or its tick continues. */
export function settled(x: TreeStep, state: TreeState, ref: Ref, result: Settled): void {
  const node = state.nodeOf(ref)
  if (node === undefined) return save(x, state)
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
  const wantsTick = wants === 'now' || (wants === true && x.def.readsStreams)
  const { events } = ticking
  if (wantsTick && state.status === ACTIVE && state.open === undefined)
    return oneTick(x, state, { prepare: (tick) => void tick.events.push(...events) })
  save(x, state, events)
}
