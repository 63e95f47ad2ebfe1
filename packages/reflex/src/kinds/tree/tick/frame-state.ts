import { type Frame, isList } from '../../../kernel/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { Layout } from '../compile/layout.ts'
import type { TreeStep } from './tree-step.ts'
import { TreeState } from './tree-state.ts'

/** The states in memory, of the frames that this process steps. */
const KNOWN = new WeakMap<Frame, KnownState>()

interface KnownState {
  readonly def: CompiledTree
  /** Absent while a step has it. */
  state?: TreeState | undefined
}

/**
 * Takes the state of the frame. It is kept from step to step, and read again from the position if the last step did not keep it, or the position
 * is not the one that it has written: after a resume, in a replay, after a step that was not recorded, and with another version of the program.
 */
export function takeState(x: TreeStep): TreeState {
  const known = KNOWN.get(x.frame)
  const kept = known?.def === x.def ? known.state : undefined
  if (known !== undefined) known.state = undefined
  const position = isList(x.position) ? x.position : undefined
  if (kept !== undefined && position !== undefined && kept.records === position[0]) return kept
  const state = new TreeState(new Layout(x.def, (name) => x.definition(`tree:${name}`) as CompiledTree | undefined))
  if (position !== undefined) state.load(position)
  return state
}

/** Returns the state of a frame after its last step, for readers; undefined before the first one. Steps take it with `takeState`. */
export function stateAfter(frame: Frame): TreeState | undefined {
  return KNOWN.get(frame)?.state
}

/** Keeps a state that is the one of the position which the step has recorded. */
export function keepState(x: TreeStep, state: TreeState): void {
  const known = KNOWN.get(x.frame)
  if (known?.def === x.def) known.state = state
  else KNOWN.set(x.frame, { def: x.def, state })
}
