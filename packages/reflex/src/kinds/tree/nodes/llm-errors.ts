import type { FaultData } from '../../../kernel/index.ts'

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
  [/rate|limit|429/i, 'rate_limit'],
  [/auth|key|401/i, 'auth_error'],
  [/context|length|token/i, 'context_length'],
  [/network|connection|timeout/i, 'network_error'],
]

/** The type of an error of a model: rate_limit, auth_error, context_length, network_error or api_error (reference 7.1). */
export function errorTypeOf(fault: FaultData): string {
  const known = BY_CODE[fault.code]
  if (known !== undefined) return known
  const status = Number(fault.data?.status ?? Number.NaN)
  if (status === 429) return 'rate_limit'
  if (status === 401 || status === 403) return 'auth_error'
  return BY_WORDS.find(([words]) => words.test(fault.message))?.[1] ?? 'api_error'
}
