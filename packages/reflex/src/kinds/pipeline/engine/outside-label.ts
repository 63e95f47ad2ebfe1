import type { Call, Port } from '../../../kernel/index.ts'
import { type Label, packLabel } from '../../../policy/label.ts'
import type { RunSettings } from '../../../policy/index.ts'

/**
 * Returns the port `outside`: the worst label of what the programs of a run have read that store no labels. A pipeline that another
 * program calls asks when it begins, and each pipeline when a program of another kind has returned to it.
 */
export function outsidePort(outside: (call: Call<RunSettings>) => Promise<Label>): Port<RunSettings> {
  return {
    leaves: false,
    repeat: 'free',
    simulate: 'perform',
    perform: async (call) => packLabel(await outside(call)),
  }
}
