import { type Frame, isList, type Json } from '../../../kernel/index.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import { Layout } from '../compile/layout.ts'
import { standInsOf, type TreeStep } from './tree-step.ts'
import { TreeState } from './tree-state.ts'

/** The state in memory of a frame that this process steps. */
class KeptState {
  readonly def: CompiledTree
  /** Absent while a step has it. */
  state: TreeState | undefined
  /** The position that the last step has changed: it is no longer that of the frame if the step was recorded. */
  changed: Json | undefined

  constructor(def: CompiledTree) {
    this.def = def
  }
}

/**
 * Takes the state of the frame. It is kept from step to step, and read again from the position if the last step did not keep it or was not
 * recorded: after a resume, in a replay, and with another version of the program.
 */
export function takeState(x: TreeStep): TreeState {
  const { position, cache: known } = x
  if (known instanceof KeptState) {
    const { state } = known
    known.state = undefined
    if (state !== undefined && known.def === x.def && isList(position) && position !== known.changed) return state
  }
  const find = (name: string): CompiledTree | undefined => x.definition(`tree:${name}`) as CompiledTree | undefined
  const state = new TreeState(new Layout(x.def, find, { standIns: standInsOf(x) }))
  if (isList(position)) state.load(position)
  return state
}

/** Returns the state of a frame after its last step, for readers; undefined before the first one. Steps take it with `takeState`. */
export function stateAfter({ cache }: Frame): TreeState | undefined {
  return cache instanceof KeptState ? cache.state : undefined
}

/** Keeps a state after a step. `changed`: the position that the step has changed; undefined if it has not changed it. */
export function keepState(x: TreeStep, state: TreeState, changed?: Json): void {
  let known = x.cache
  if (!(known instanceof KeptState) || known.def !== x.def) x.cache = known = new KeptState(x.def)
  const kept = known as KeptState
  kept.state = state
  kept.changed = changed
}
