import type { StepContext } from '../../kernel/step/context.ts'
import { type FaultData, faultData, isFault } from '../../kernel/journal/fault.ts'
import { isList, type Json } from '../../kernel/journal/json.ts'
import type { CompiledCall, CompiledNode, CompiledWorkflow } from './compile.ts'

/** Where a step stands, for messages: `refund/read`. */
export function placeOf(x: StepContext<CompiledWorkflow>, { node }: CompiledNode): string {
  return `${x.def.workflow.id}/${node.id}`
}

/**
 * The values that an input map hands over, read through the scopes of the caller; what is not there is skipped (seed
 * workflow 6.3). A workflow takes them as the writes that they become, programs of other kinds by name.
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
 * Writes what was decided, all of it, or nothing and the reason: a value does not fit what the board declares (seed
 * workflow 6.3).
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
