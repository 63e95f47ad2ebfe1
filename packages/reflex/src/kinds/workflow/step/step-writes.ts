import { type StepContext, type FaultData, faultData, isFault, isList, type Json } from '../../../kernel/index.ts'
import type { CompiledCall, CompiledNode, CompiledWorkflow } from '../model/compile.ts'

/** Returns the place of a step, for messages: `refund/read`. */
export function placeOf(x: StepContext<CompiledWorkflow>, { node }: CompiledNode): string {
  return `${x.def.workflow.id}/${node.id}`
}

/**
 * Returns the values that an input map passes to the callee, read through the scopes of the caller. Missing values are skipped
 * (seed workflow 6.3). A workflow gets them as a list of writes, a program of another kind by name.
 */
export function mappedInputs(x: StepContext<CompiledWorkflow>, program: string, inputs: CompiledCall['inputs']): { readonly args?: Json } {
  const values = inputs.flatMap(({ from, to }): [string, Json][] => {
    const value = x.get(from)
    return value === undefined ? [] : [[to, value]]
  })
  if (values.length === 0) return {}
  return { args: program.startsWith('workflow:') ? values.flat() : Object.fromEntries(values) }
}

/**
 * Performs all writes of a decision, or none of them: returns the fault of a value that does not fit the schema of its board key
 * (seed workflow 6.3).
 */
export function applyWrites(x: StepContext<CompiledWorkflow>, node: CompiledNode, writes: Json | undefined): FaultData | undefined {
  if (!isList(writes)) return undefined
  if (x.def.board !== undefined) x.setPlace(placeOf(x, node))
  try {
    x.setAccepted(writes as Json[])
    return undefined
  } catch (thrown) {
    if (isFault(thrown)) return faultData(thrown)
    throw thrown
  }
}
