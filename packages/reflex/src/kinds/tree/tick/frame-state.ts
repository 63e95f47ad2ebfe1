import { type Frame, isList } from '../../../kernel/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { Layout } from '../compile/layout.ts'
import type { TreeStep } from './tree-step.ts'
import { TreeState } from './tree-state.ts'

/** The states in memory, of the frames that this process steps. */
const KNOWN = new WeakMap<Frame, { readonly def: CompiledTree; readonly state: TreeState }>()

/**
 * Takes the state of the frame. It is kept from step to step, and read again from the position if the last step did not keep it, or the position
 * is not the one that it has written: after a resume, in a replay, after a step that was not recorded, and with another version of the program.
 */
export function takeState(x: TreeStep): TreeState {
  const known = KNOWN.get(x.frame)
  KNOWN.delete(x.frame)
  const position = isList(x.position) ? x.position : undefined
  if (known !== undefined && known.def === x.def && position !== undefined && known.state.records === position[0]) return known.state
  const state = new TreeState(new Layout(x.def, (name) => x.definition(`tree:${name}`) as CompiledTree | undefined))
  if (position !== undefined) state.load(position)
  return state
}

/** Keeps a state that is the one of the position which the step has recorded. */
export function keepState(x: TreeStep, state: TreeState): void {
  KNOWN.set(x.frame, { def: x.def, state })
}
