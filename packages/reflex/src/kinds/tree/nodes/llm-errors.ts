import type { FaultData } from '../../../kernel/index.ts'

/** Words of messages of providers, for errors without a code that says more. */
const BY_WORDS: readonly (readonly [RegExp, string])[] = [
  [/rate|limit|429/i, 'rate_limit'],
  [/auth|key|401/i, 'auth_error'],
  [/context|length|token/i, 'context_length'],
  [/network|connection|timeout/i, 'network_error'],
]

/** The type of an error of a model: rate_limit, auth_error, context_length, network_error or api_error (reference 7.1). */
export function errorTypeOf(fault: FaultData): string {
  const status = Number(fault.data?.status ?? Number.NaN)
  if (status === 429) return 'rate_limit'
  if (status === 401 || status === 403) return 'auth_error'
  return BY_WORDS.find(([words]) => words.test(fault.message))?.[1] ?? 'api_error'
}
