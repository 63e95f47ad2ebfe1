import { causeOf, type FaultData, faultData } from './fault.ts'
import { copyJson, type Json } from './json.ts'

/** A fault as a record holds it. Total: what it carries and JSON cannot say is left out, never the fault itself. */
export function faultJson(fault: FaultData): Json {
  const data = faultData(fault)
  try {
    return copyJson(data, 'fault')
  } catch {
    const { code, message, verdict, path, run, fix, cause } = data
    const short = faultData({ code, message, verdict, path, run, fix, cause: cause === undefined ? undefined : messageOf(cause) })
    return copyJson(short, 'fault')
  }
}

function messageOf(cause: FaultData | string): string {
  const text = causeOf(cause)
  return typeof text === 'string' ? text : text.message
}
