import { CATALOGUE } from '../protocol/catalogue.ts'
import { type FaultData, faultData, isFault } from '../kernel/index.ts'

/** The statuses of faults whose code decides. All others follow their verdict. */
const STATUS: Readonly<Record<string, number>> = {
  R2001: 409, // the run has ended
  R2016: 404, // no run
  R2020: 404, // no question, or several
  R2021: 404, // no record
  R2031: 400, // an option
  R2065: 404, // nothing to explain
  R2130: 429, // the inbox is full
  R2176: 404, // no promotion
  R1020: 400,
  R1021: 404,
  R2011: 404, // no kind, so no program of it
  R1060: 400,
  R4200: 400,
  R4201: 400,
  R5001: 409,
  R5007: 409,
  R5054: 410,
  R5106: 404, // no queue
  R5110: 400, // the place of a run
  R5142: 400, // a place without a cluster
  R6001: 401,
  R6002: 403,
  R6003: 403,
  R6004: 413,
  R6005: 415,
  R6006: 400,
  R6007: 404,
  R6008: 429,
  R6009: 409,
  R6010: 400,
  R6011: 503,
  R6051: 401,
  R6052: 401,
  R6053: 404,
  R6054: 422,
  R6055: 404,
  R6056: 400,
  R6057: 404,
  R6058: 409,
  R6061: 503,
  R6062: 503,
  R6030: 410,
  R6031: 409,
  R6032: 400,
  R6020: 501,
  R6072: 503,
  R6073: 404,
  R6080: 400,
  R6081: 404,
}

/** Returns the fault of anything that was thrown, and its status. An error that is no fault says nothing about itself. */
export function failureOf(thrown: unknown): { readonly status: number; readonly fault: FaultData } {
  if (!isFault(thrown))
    return { status: 500, fault: { code: 'R9001', verdict: 'bug', message: 'the server failed because of a bug of Reflex' } }
  const data = faultData(thrown)
  const fix = data.fix ?? CATALOGUE.get(data.code)?.fix
  return { status: statusOf(data), fault: fix === undefined ? data : { ...data, fix } }
}

function statusOf({ verdict, code, data }: FaultData): number {
  const known = STATUS[code]
  if (known !== undefined) return known
  // A question that was closed, or one that never was.
  if (code === 'R2002') return data?.closed === undefined ? 404 : 409
  if (verdict === 'bug') return 500
  if (code.startsWith('R5') || verdict === 'retry') return 503
  return verdict === 'wait' ? 409 : 422
}
