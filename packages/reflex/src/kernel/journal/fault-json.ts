import { causeOf, type FaultData, faultData } from './fault.ts'
import { copyJson, type Json } from './json.ts'

/** The length to which a text of a fault is cut if it is too large for a record. */
const MAX_LENGTH = 10_000

/** Returns a fault as JSON for a record. Never throws: fields that a record cannot store are dropped or cut. */
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
