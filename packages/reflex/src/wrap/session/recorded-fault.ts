import { Fault, type FaultData, isFault, isObject } from '../../kernel/index.ts'
import type { CallResult } from '../../kinds/skill/model/turn.ts'
import { faults } from './faults.ts'

/** Waits for code of the agent. Throws its failure as the record keeps it: `R2162` with its words and its name, from which agents tell their models. */
export async function recordable<Value>(act: Promise<Value>): Promise<Value> {
  try {
    return await act
  } catch (thrown) {
    if (!(thrown instanceof Error) || isFault(thrown)) throw thrown
    throw faults.make('R2162', thrown.message, { data: { name: thrown.name } })
  }
}

/** Returns a failure that another process has recorded. */
export function recordedFault({ fault }: CallResult & { readonly ok: false }): Error {
  const { code, message, verdict, ...details } = fault as unknown as FaultData
  if (code !== 'R2162' || !isObject(details.data)) return new Fault(code, message, verdict, details)
  const { name } = details.data
  return Object.assign(new Error(message), { name })
}
