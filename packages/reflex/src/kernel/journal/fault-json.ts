import { causeOf, type FaultData, faultData } from './fault.ts'
import { copyJson, type Json } from './json.ts'

/** What is left of a text of a fault that is too large to be recorded. */
const MAX_LENGTH = 10_000

/** A fault as a record holds it. Total: what it carries and a record cannot hold is left out or cut, never the fault itself. */
export function faultJson(fault: FaultData): Json {
  const data = faultData(fault)
  try {
    return copyJson(data, 'fault')
  } catch {
    const { code, verdict, run, cause } = data
    const [message = '', path, fix, why] = [data.message, data.path, data.fix, cause && messageOf(cause)].map((text) =>
      text?.slice(0, MAX_LENGTH),
    )
    return copyJson(faultData({ code, message, verdict, path, run, fix, cause: why }), 'fault')
  }
}

function messageOf(cause: FaultData | string): string {
  const text = causeOf(cause)
  return typeof text === 'string' ? text : text.message
}
