import { Fault, type FaultData } from '../../kernel/index.ts'
import type { CallResult } from '../../kinds/skill/model/turn.ts'

/** Returns a failure that another process has recorded. */
export function recordedFault({ fault }: CallResult & { readonly ok: false }): Fault {
  const { code, message, verdict, ...details } = fault as unknown as FaultData
  return new Fault(code, message, verdict, details)
}
