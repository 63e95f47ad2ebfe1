import { type FaultData, isList, type Json } from '../../../kernel/index.ts'

/** The types of errors that `retry_on` may name. */
export const ERROR_TYPES = ['rate_limit', 'network_error', 'api_error', 'timeout', 'auth_error', 'context_length'] as const

/** The types after which a model is asked again unless `retry_on` names others. */
const RETRIED: readonly string[] = ['rate_limit', 'network_error', 'api_error']
/** Types that stay what they are, however often the model is asked. */
const PERMANENT: readonly string[] = ['auth_error', 'context_length']

/** The types of the errors that models report themselves. */
const BY_CODE: Readonly<Record<string, string>> = {
  R4004: 'auth_error',
  R4006: 'auth_error',
  R4008: 'context_length',
  R4009: 'rate_limit',
  R4010: 'api_error',
  R4011: 'network_error',
  R4012: 'api_error',
  R4013: 'timeout',
}

/** Words of messages of providers, for errors without a code that says more. */
const BY_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\brate|limit|429/i, 'rate_limit'],
  [/auth|\bkey|401/i, 'auth_error'],
  [/context|length|token/i, 'context_length'],
  [/network|connection|timeout/i, 'network_error'],
]

/** The codes of errors that a port has thrown without a code of its own, so that only their words say what they are. */
const WITHOUT_CODE: readonly string[] = ['R2012', 'R1253']

/** The type of an error of a model: rate_limit, auth_error, context_length, network_error or api_error (reference 7.1). */
export function errorTypeOf(fault: FaultData): string {
  const known = BY_CODE[fault.code]
  if (known !== undefined) return known
  const status = Number(fault.data?.status ?? Number.NaN)
  if (status === 429) return 'rate_limit'
  if (status === 401 || status === 403) return 'auth_error'
  return BY_WORDS.find(([words]) => words.test(fault.message))?.[1] ?? 'api_error'
}

/**
 * True for a failure that another attempt may change. Faults of the catalogue say so themselves; an error without a code of its own is judged by
 * its type.
 */
export function isTransient(fault: FaultData): boolean {
  if (WITHOUT_CODE.includes(fault.code)) return !PERMANENT.includes(errorTypeOf(fault))
  return fault.verdict === 'retry'
}

/** True if a model is asked again after a failure of this type. */
export function isRetried(fault: FaultData, type: string, retryOn: Json | undefined): boolean {
  return isTransient(fault) && (isList(retryOn) ? retryOn : RETRIED).includes(type)
}
